"""Tours: lists of scenes, each the address of a page with a sentence or two; and the glossary."""
