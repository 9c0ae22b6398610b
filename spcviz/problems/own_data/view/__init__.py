"""How a visitor's sentences are drawn where features are bought for them."""
