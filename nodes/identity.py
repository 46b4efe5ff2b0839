"""Who is asking: the signed-in user of a server, else the run's context; never the model."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.state import Context, State
from store.threads import Owner


def run_context(runtime: Runtime[Context]) -> Context:
    """Return the run's context; code may have given none, or a server's raw dict."""
    context: Context | dict[str, Any] | None = runtime.context
    if isinstance(context, dict):
        return Context(**context)
    return context or Context()


def thread_of(runtime: Runtime[Context]) -> str:
    """Return the id of the run's thread; empty where nothing is kept."""
    return (runtime.execution_info and runtime.execution_info.thread_id) or ""


def owner(runtime: Runtime[Context]) -> Owner:
    """Return the tenant and the user of the run."""
    context = run_context(runtime)
    user = getattr(runtime.server_info, "user", None)
    if user is not None and not _said_of(user, "developer"):  # a developer says in the context who asks
        return Owner(tenant=str(_said_of(user, "tenant") or context.tenant), user_id=str(user.identity))
    return Owner(tenant=context.tenant, user_id=context.user_id)


def is_known(who: Owner) -> bool:
    """Tell whether somebody in particular is asking, of whom something can be remembered."""
    return bool(who.user_id and who.tenant)


def asker(state: State, runtime: Runtime[Context]) -> Owner:
    """Return whose turn it is: the user who wrote, also when a person of the staff lets the turn go on."""
    return Owner(**state["asker"]) if state.get("asker") else owner(runtime)


def is_staff(runtime: Runtime[Context]) -> bool:
    """Tell whether the run is a staff member's: by the permission ``staff`` on a server, else by the context."""
    user = getattr(runtime.server_info, "user", None)
    if user is not None and not _said_of(user, "developer"):
        return "staff" in user.permissions
    return run_context(runtime).role == "staff"


def _said_of(user: Any, name: str) -> Any:
    """Return what sign-in said of a user beside who it is: LangGraph's is a mapping, Aegra's has attributes."""
    try:
        return user[name]
    except (KeyError, TypeError):
        return getattr(user, name, None)
