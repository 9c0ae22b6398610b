"""View of a word whose factor graph grows: a Streamlit component in Python, JavaScript and CSS."""
