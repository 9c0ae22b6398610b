"""Tours: what can be followed, and one's own."""

import streamlit as st

from spcviz.ui import touring

st.title("Tours", anchor=False)
for name, found in touring.tours().items():
    with st.container(border=True):
        st.subheader(found.title, anchor=False)
        st.write(found.about)
        st.markdown(f"[Start](./?tour={name}&scene=1)")
