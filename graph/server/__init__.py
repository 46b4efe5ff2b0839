"""Behind HTTP: who is asking, what they may do, the routes beside a LangGraph server's own."""
