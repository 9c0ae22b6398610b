"""What the pages about street scenes show: computed live, cached, drawn, said."""
