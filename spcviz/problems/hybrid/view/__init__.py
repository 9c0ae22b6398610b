"""A word whose factor graph grows, in the browser: a Streamlit component, its JavaScript and its style."""
