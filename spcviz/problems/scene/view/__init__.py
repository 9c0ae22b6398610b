"""Street scenes in the browser: a Streamlit component in Python, its JavaScript and its style."""
