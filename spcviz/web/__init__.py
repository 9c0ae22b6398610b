"""The Streamlit app that all problems share, in Python and JavaScript."""
