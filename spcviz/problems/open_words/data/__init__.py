"""Data of an open vocabulary: words composed of letter images, drawings, scans."""
