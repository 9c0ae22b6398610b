"""The course: its language, its tasks, what stays hidden."""
