"""What the pages about loopy grids show: computed live, cached, drawn, said."""
