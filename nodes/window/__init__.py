"""The context window as a library: plain functions over LangChain messages, usable without the graph."""
