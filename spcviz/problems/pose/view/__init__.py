"""View of a clip of poses: a Streamlit component in Python, JavaScript and CSS."""
