"""HTTP answers in addition to Streamlit's own messages: each page's first HTML, cards, compressed files."""
