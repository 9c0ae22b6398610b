"""Cached calls of the Loopy grids page."""

import streamlit as st

from spcviz.problems.grids.page import live


@st.cache_resource(max_entries=256, show_spinner=False)
def live_grid(rows, columns, n_states, strength, seed):
    """A random grid with its combs and samples; see `spcviz.problems.grids.page.live.live_grid`."""
    return live.live_grid(rows, columns, n_states, strength, seed)


@st.cache_resource(max_entries=96, show_spinner=False)
def grid_beliefs(rows, columns, n_states, strength, seed, kind, damping):
    """Belief propagation on it; see `spcviz.problems.grids.page.live.grid_beliefs`."""
    return live.grid_beliefs(live_grid(rows, columns, n_states, strength, seed), kind, damping)


@st.cache_resource(max_entries=256, show_spinner=False)
def grid_pruned(rows, columns, n_states, strength, seed, alpha):
    """Its states pruned; see `spcviz.problems.grids.page.live.prune_grid`."""
    return live.prune_grid(live_grid(rows, columns, n_states, strength, seed), alpha)


@st.cache_resource(max_entries=96, show_spinner="Drawing the grid at nine strengths ...")
def strength_sweep(rows, columns, n_states, seed, kind, damping):
    """The same grid at rising strength; see `spcviz.problems.grids.page.live.sweep_strength`."""
    return live.sweep_strength(rows, columns, n_states, seed, kind, damping, draw=live_grid)
