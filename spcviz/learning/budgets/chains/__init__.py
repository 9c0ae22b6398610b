"""Chains whose features are bought: models of tiers, actions, Algorithm 5."""
