"""The Tagging page's view of a sentence: a Streamlit component in Python, its JavaScript and its style."""
