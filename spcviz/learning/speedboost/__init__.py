"""Anytime structured prediction: StructuredSpeedBoost (Grubb et al. 2013, SpeedMachines).

An output is a vector of scores for every *element* (pixel, word, ...); *regions* at several levels are sets
of elements. A weak predictor chooses uncertain regions of a level and adds a vector to all their elements.

- `structure`: elements, regions, levels, neighbours, and the context that neighbours provide
- `trees`: regression trees that pay for the features they use
- `boost`: the learner; `predictor`: the learned predictor, applied step by step
"""
