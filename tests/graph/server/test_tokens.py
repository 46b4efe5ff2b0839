import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from graph.server.signin import sign_in
from graph.server.tokens import Principal, check_auth, open_to_developers, read_token
from store.errors import AccessDeniedError, ConfigError
from store.settings import Settings, load_settings

_SECRET = "a shared secret of more than thirty-two bytes"  # noqa: S105 - of the tests alone
_ISSUER = "https://id.example"


def _settings(**more: object) -> Settings:
    return load_settings(**{"auth_key": _SECRET, "auth_issuer": _ISSUER, **more})


def _claims(**more: Any) -> dict[str, Any]:
    return {"sub": "ann", "tenant": "acme", "iss": _ISSUER, "exp": time.time() + 60} | more


def _token(key: Any = _SECRET, algorithm: str = "HS256", **more: Any) -> str:
    return jwt.encode(_claims(**more), key, algorithm)


def test_a_signed_token_names_tenant_user_and_role() -> None:
    assert read_token(_token(), _settings()) == Principal("acme", "ann")
    assert read_token(_token(roles=["staff", "x"]), _settings()) == Principal("acme", "ann", staff=True)


@pytest.mark.parametrize(
    ("private", "algorithm"),
    [
        (rsa.generate_private_key(65537, 2048), "RS256"),
        (ec.generate_private_key(ec.SECP256R1()), "ES256"),
        (ed25519.Ed25519PrivateKey.generate(), "EdDSA"),
    ],
)
def test_a_public_key_checks_tokens_and_is_no_shared_secret(private: Any, algorithm: str) -> None:
    public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    settings = _settings(auth_key=public)
    assert read_token(_token(private, algorithm), settings).user_id == "ann"
    header, payload = (part.split(".") for part in (_token(_SECRET), _token(private, algorithm)))
    for forged in (_token(_SECRET), ".".join([header[0], payload[1], header[2]]), _unsigned()):
        with pytest.raises(AccessDeniedError):
            read_token(forged, settings)


def _unsigned() -> str:
    return jwt.encode(_claims(), "", "none")


@pytest.mark.parametrize(
    "more",
    [
        {"exp": time.time() - 3600},
        {"exp": None},
        {"iss": "https://other.example"},
        {"sub": None},
        {"sub": ""},
        {"sub": "a\0b"},
        {"sub": 7},
        {"tenant": ["acme"]},
        {"tenant": ""},
        {"nbf": time.time() + 3600},
    ],
)
def test_a_token_that_lacks_something_is_refused_without_a_reason(more: dict[str, Any]) -> None:
    claims = {name: value for name, value in _claims(**more).items() if value is not None}
    token = jwt.api_jws.encode(__import__("json").dumps(claims).encode(), _SECRET, "HS256")
    with pytest.raises(AccessDeniedError, match=r"^The bearer token is not accepted"):
        read_token(token, _settings())


@pytest.mark.parametrize(
    "token", ["", "x", "a.b.c", "\xff", _token("another secret of thirty-two bytes or more")]
)
def test_a_forged_token_is_refused(token: str) -> None:
    with pytest.raises(AccessDeniedError):
        read_token(token, _settings())


def test_a_token_for_another_audience_is_refused() -> None:
    with pytest.raises(AccessDeniedError):
        read_token(_token(aud="other"), _settings(auth_audience="support"))
    assert read_token(_token(aud="support"), _settings(auth_audience="support")).user_id == "ann"


def test_roles_of_another_form_give_no_role() -> None:
    assert read_token(_token(roles="staff"), _settings()).staff is False


def test_static_tokens_are_for_development_alone() -> None:
    tokens = '{"t": {"user_id": "ann", "tenant": "acme", "staff": true}}'
    assert read_token("t", load_settings(auth_tokens=tokens)) == Principal("acme", "ann", staff=True)
    with pytest.raises(ConfigError, match=r"SUPPORTPILOT_AUTH_TOKENS.*development"):
        load_settings(auth_tokens=tokens, production=True)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"auth_key": "short", "auth_issuer": "x"}, "32 bytes"),
        ({"auth_key": "-----BEGIN PUBLIC KEY-----\nx", "auth_issuer": "x"}, "PEM"),
        ({"auth_tokens": '{"secret-token": "ann"}'}, "SUPPORTPILOT_AUTH_TOKENS"),
        ({"production": True}, "SUPPORTPILOT_AUTH_KEY"),
    ],
)
def test_a_wrong_key_or_token_is_named_and_not_shown(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words) as raised:
        check_auth(load_settings(**settings))
    assert "secret-token" not in str(raised.value)


def test_a_key_without_its_issuer_is_refused() -> None:
    with pytest.raises(ConfigError, match="SUPPORTPILOT_AUTH_ISSUER"):
        load_settings(auth_key=_SECRET)


def _scope(client: str, *headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"path": "/threads", "headers": list(headers), "client": (client, 1)}


def test_without_any_sign_in_only_this_machine_is_let_in() -> None:
    development = load_settings()
    assert open_to_developers(development)
    assert sign_in(_scope("127.0.0.1"), development).developer
    for scope in (
        _scope("10.0.0.7"),
        _scope("172.17.0.1"),
        _scope("127.0.0.1", (b"x-forwarded-for", b"10.0.0.7")),
    ):
        with pytest.raises(AccessDeniedError, match="Authorization: Bearer"):
            sign_in(scope, development)


@pytest.mark.parametrize(
    "more", [{"production": True}, {"auth_tokens": "{}"}, {"auth_key": _SECRET, "auth_issuer": "x"}]
)
def test_with_a_sign_in_or_in_production_nobody_is_let_in_without_a_token(more: dict[str, Any]) -> None:
    with pytest.raises(AccessDeniedError):
        sign_in(_scope("127.0.0.1"), load_settings(**more))
