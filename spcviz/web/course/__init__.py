"""The course: tasks as data, their checks, the bar above a page, and the browser's own progress."""
