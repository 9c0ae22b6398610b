"""The open vocabulary: its tables, and priors that were tried."""
