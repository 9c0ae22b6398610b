"""Parts of the page about a visitor's own data: its choices and one file for each group of views."""
