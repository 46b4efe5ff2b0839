"""The tools that the model may call: what each does, and running the calls of a step."""
