"""What the suites of other libraries ask, asked of this one; tests run where the peer is installed."""
