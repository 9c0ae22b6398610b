"""View of one word under several policies: a Streamlit component in Python, JavaScript and CSS."""
