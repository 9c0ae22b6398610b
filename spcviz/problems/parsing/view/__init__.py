"""View of a sentence's dependency trees: a Streamlit component in Python, JavaScript and CSS."""
