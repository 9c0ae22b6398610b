"""View of a street labelled as time passes: a Streamlit component in Python, JavaScript and CSS."""
