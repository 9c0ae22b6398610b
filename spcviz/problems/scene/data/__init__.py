"""Data of street scenes: CamVid, rendered streets, and the photograph that ships."""
