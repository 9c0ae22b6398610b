"""A short article under each tool, callouts in its picture, and its place in the course: texts as data."""
