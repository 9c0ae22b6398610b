"""Controls of the page Pose on video: choices, a visitor's own picture, panels of results."""
