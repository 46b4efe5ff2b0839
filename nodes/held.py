"""A message while a person has the conversation: it is passed on to them, and the agent keeps silent."""

from langgraph.runtime import Runtime

from nodes.hand_over import not_routed
from nodes.log import current_turn
from nodes.state import Context, State
from store.resources import resources
from store.tickets import add_message


async def held(state: State, runtime: Runtime[Context]) -> dict[str, object]:  # noqa: ARG001 - every node is given one
    """Append the newest message to the ticket."""
    message, number = current_turn(state["messages"])[0], state["ticket"]
    if number is not None:
        pool = (await resources()).pool
        await add_message(pool, number, message_id=str(message.id), author="user", text=message.text)
    return {"decision": not_routed("a person has the conversation")}
