"""Building blocks of every page: state in the address, navigation, layout, undo, warm-up."""
