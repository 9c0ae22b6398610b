"""Letters drawn by hand, in the browser: a Streamlit component in Python, its JavaScript and its style."""
