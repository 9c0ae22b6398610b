"""N-gram models of any order: weights, sparse lattices, pruning, dense Viterbi, beam search."""
