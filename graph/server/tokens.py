"""Who a bearer token speaks for: a signed JWT, or in development a static token."""

import hmac
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from store.errors import AccessDeniedError, ConfigError
from store.settings import Settings
from store.threads import Owner

STAFF = "staff"
"""The role, in the claim ``roles``, of those who approve actions and work on tickets."""

_ALGORITHMS: dict[type, list[str]] = {
    RSAPublicKey: ["RS256", "PS256"],
    EllipticCurvePublicKey: ["ES256", "ES384"],
    Ed25519PublicKey: ["EdDSA"],
}
_SHORTEST_SECRET = 32
"""Bytes of a shared secret, as long as the hash (RFC 7518, 3.2)."""
_LEEWAY = 30
"""Seconds by which the clocks of issuer and server may differ."""


class _Person(BaseModel):
    """What a token says of who holds it."""

    model_config = ConfigDict(extra="ignore", frozen=True, str_strip_whitespace=True)

    user_id: str = Field(min_length=1, max_length=256, pattern=r"^[^\x00-\x1f\x7f]+$")
    tenant: str = Field("default", min_length=1, max_length=256, pattern=r"^[^\x00-\x1f\x7f]+$")
    staff: bool = False


@dataclass(frozen=True, slots=True)
class Principal:
    """Who sends a request."""

    tenant: str
    user_id: str
    staff: bool = False
    developer: bool = False
    """Somebody on this machine, in development, without a token: everything is allowed, and the run's context
    says who asks."""

    @property
    def owner(self) -> Owner:
        """The owner of what this user begins."""
        return Owner(self.tenant, self.user_id)


DEVELOPER = Principal("default", "", staff=True, developer=True)


def read_token(token: str, settings: Settings) -> Principal:
    """Return who a bearer token speaks for.

    Raises:
        AccessDeniedError: it is none that the settings accept; why is not told, for a forger would learn from it.
        ConfigError: the settings' own key or tokens are malformed.
    """
    person = _static(token, settings) or _signed(token, settings)
    if person is None:
        raise AccessDeniedError("The bearer token is not accepted. Sign in again.")
    return Principal(person.tenant, person.user_id, person.staff)


def check_auth(settings: Settings) -> str:
    """Say how users sign in.

    Raises:
        ConfigError: key or tokens are malformed, or nobody could sign in where users are served.
    """
    if settings.auth_key is not None:
        _key(settings.auth_key.get_secret_value())
    tokens = _tokens(settings.auth_tokens.get_secret_value()) if settings.auth_tokens else {}
    ways = [f"JWT of {settings.auth_issuer!r}"] if settings.auth_key else []
    ways += [f"{len(tokens)} static tokens"] if tokens else []
    if not ways and settings.production:
        raise ConfigError("Nobody can sign in. Set SUPPORTPILOT_AUTH_KEY and SUPPORTPILOT_AUTH_ISSUER.")
    return ", ".join(ways) or "none: whoever is on this machine may do everything"


def open_to_developers(settings: Settings) -> bool:
    """Tell whether this machine's own user needs no token: in development, as long as no way to sign in is set."""
    return not (settings.production or settings.auth_key or settings.auth_tokens)


def _signed(token: str, settings: Settings) -> _Person | None:
    if settings.auth_key is None:
        return None
    key, algorithms = _key(settings.auth_key.get_secret_value())
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=algorithms,
            issuer=settings.auth_issuer,
            audience=settings.auth_audience or None,
            leeway=_LEEWAY,
            options={"require": ["exp", "iss", "sub"], "verify_aud": bool(settings.auth_audience)},
        )
        roles = claims.get("roles", [])
        staff = isinstance(roles, list) and STAFF in roles
        named = {name: claims[name] for name in ("tenant",) if name in claims}
        return _Person.model_validate({"user_id": claims["sub"], "staff": staff, **named}, strict=True)
    except (jwt.PyJWTError, ValidationError):
        return None


def _static(token: str, settings: Settings) -> _Person | None:
    if settings.auth_tokens is None or settings.production:
        return None
    known = _tokens(settings.auth_tokens.get_secret_value())
    given = token.encode("utf-8", "surrogateescape")
    return next((who for one, who in known.items() if hmac.compare_digest(one.encode(), given)), None)


@lru_cache(maxsize=4)
def _key(text: str) -> tuple[Any, list[str]]:
    """Return the key and the algorithms that go with its kind, so that no token chooses how it is checked."""
    if "-----BEGIN" not in text:
        if len(text.encode()) < _SHORTEST_SECRET:
            raise ConfigError(
                f"SUPPORTPILOT_AUTH_KEY is shorter than {_SHORTEST_SECRET} bytes. Take a longer one."
            )
        return text, ["HS256"]
    try:
        key = load_pem_public_key(text.replace("\\n", "\n").encode())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ConfigError("SUPPORTPILOT_AUTH_KEY is no public key in PEM form.") from error
    for kind, algorithms in _ALGORITHMS.items():
        if isinstance(key, kind):
            return key, algorithms
    raise ConfigError(
        f"SUPPORTPILOT_AUTH_KEY is a {type(key).__name__}; use RSA, an elliptic curve or Ed25519."
    )


@lru_cache(maxsize=4)
def _tokens(text: str) -> dict[str, _Person]:
    try:
        return TypeAdapter(dict[str, _Person]).validate_json(text)
    except ValidationError as error:
        raise ConfigError(
            'SUPPORTPILOT_AUTH_TOKENS is not of the form {"TOKEN": {"user_id": "ann", "tenant": "default"}}.'
        ) from error
