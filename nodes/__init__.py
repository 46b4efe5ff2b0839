"""What happens in one step: plain functions ``(state, runtime) -> update`` and the pure code under them."""
