"""The gate for what must never be kept: identity and bank card numbers, phones, home addresses, secrets."""

from store.privacy.gate import MASK, Redaction, is_private, private_values, redact, redact_all

__all__ = ["MASK", "Redaction", "is_private", "private_values", "redact", "redact_all"]
