"""What ``langgraph dev`` keeps of its own in ``.langgraph_api``, put right when it starts."""

import sys


def drop_orphaned_runs() -> None:
    """Drop the development server's runs whose thread is gone.

    Its in-memory runtime (langgraph-runtime-inmem 0.36) loses the run of a request without a thread now and then,
    takes what it kept of such a run up again at the next start, and looks at the oldest runs alone, one for each job:
    as many orphans as it has jobs, and no message is answered any more. Another server than that one has none.
    """
    database = sys.modules.get("langgraph_runtime_inmem.database")
    if database is None:
        return
    kept = database.GLOBAL_STORE
    threads = {thread["thread_id"] for thread in kept["threads"]}
    kept["runs"] = [run for run in kept["runs"] if run["thread_id"] in threads]
