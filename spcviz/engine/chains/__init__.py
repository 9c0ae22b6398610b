"""Linear chains: Viterbi, forward-backward, max-marginals, witnesses, k best, quiescent updates."""
