"""What the pages about handwritten words show: computed live, cached, drawn, said."""
