"""What the pages about poses show: computed live, cached, drawn, said."""
