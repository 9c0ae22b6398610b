"""View of Home's word, pruned by a slider: a Streamlit component in Python and JavaScript."""
