"""What the pages about orders and features bought together show: computed live, cached, drawn, said."""
