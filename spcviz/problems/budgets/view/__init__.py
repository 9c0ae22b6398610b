"""View of the Trade-off page: a Streamlit component in Python, JavaScript and CSS."""
