"""What the pages about words of an open vocabulary show: computed live, cached, drawn, said."""
