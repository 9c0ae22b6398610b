"""Data of arms under a budget: proposals and features of clips of people."""
