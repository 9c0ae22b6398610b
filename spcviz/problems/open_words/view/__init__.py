"""View for letters drawn by hand: a Streamlit component in Python, JavaScript and CSS."""
