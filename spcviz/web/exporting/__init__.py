"""Scenes that leave the app: one HTML file that works from a disk, without a server and without a network."""
