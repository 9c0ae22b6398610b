"""Parts of the page Pose on video: its choices, a visitor's own picture, and the stories of its results."""
