"""State in the address, navigation, layout, warm-up: what every page is built with."""
