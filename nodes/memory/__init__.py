"""The pure code of long-term memory: what is worth keeping, how it relates to what is there, what comes back."""
