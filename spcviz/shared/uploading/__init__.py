"""Read visitors' pictures and clips: headers are checked, then a child process decodes."""
