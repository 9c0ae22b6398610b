"""The course: tasks as data, what a page is asked for, the bar above a page, and what one has passed."""
