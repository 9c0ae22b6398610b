"""Linear-chain models without lattices: CRF by batch optimisation, averaged perceptron, sparse values."""
