"""Thresholds of cascades: rules, filtering, losses over alpha, guarantees."""
