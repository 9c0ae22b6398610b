"""What the server sends before and beside the app's own messages: compressed files, and each page's HTML."""
