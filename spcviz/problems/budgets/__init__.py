"""What every problem with purchasable features shares: batches, purchases, tables."""
