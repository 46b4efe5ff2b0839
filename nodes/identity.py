"""Who is asking: the signed-in user of a server, else the run's context; never the model."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.state import Context
from store.threads import Owner


def run_context(runtime: Runtime[Context]) -> Context:
    """Return the run's context; code may have given none, or a server's raw dict."""
    context: Context | dict[str, Any] | None = runtime.context
    if isinstance(context, dict):
        return Context(**context)
    return context or Context()


def owner(runtime: Runtime[Context]) -> Owner:
    """Return the tenant and the user of the run."""
    context = run_context(runtime)
    user = getattr(runtime.server_info, "user", None)
    if user is not None and not user.get("developer"):  # a developer says in the context who asks
        return Owner(tenant=str(user.get("tenant", context.tenant)), user_id=str(user.identity))
    return Owner(tenant=context.tenant, user_id=context.user_id)
