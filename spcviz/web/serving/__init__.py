"""HTTP answers beside Streamlit's own messages: each page's first HTML, cards, compressed files."""
