"""Scripts and style sheets of exported files and sites."""
