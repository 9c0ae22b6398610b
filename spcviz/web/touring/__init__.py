"""Running tours: the bar, the visitor's own tour, the speaker's window, handouts."""
