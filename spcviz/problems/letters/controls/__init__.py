"""What is chosen on the pages Letters and Sweep."""
