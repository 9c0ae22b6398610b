"""What the pages of all problems share; a Streamlit app, in Python and JavaScript."""
