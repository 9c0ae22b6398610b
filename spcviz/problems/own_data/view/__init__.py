"""Views of Your data: how the budget's view draws a visitor's sentences."""
