"""What outlasts a step: Postgres, checkpoints, memories, the knowledge index."""
