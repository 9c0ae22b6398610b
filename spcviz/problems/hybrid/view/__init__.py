"""Orders and features bought together in the browser: a Streamlit component in Python, its JavaScript and its style."""
