"""The parts that every page is built with: state in the address, navigation, layout, undo, warm-up."""
