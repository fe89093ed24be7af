"""
Whether a delivery was sent by someone who knows a secret of ours.

The signature is computed over the bytes as they arrived, before anything is decoded, because decoding and
encoding again does not give the same bytes back.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence

_SHAPE = re.compile(rb"sha256=[0-9a-f]{64}")


def signed_by(body: bytes, header: bytes | None, secrets: Sequence[bytes]) -> int | None:
    """
    Return by which of the secrets (several while one is being rotated) ``header`` signs ``body``, or None.

    The header may be any bytes: whatever is not ``sha256=`` and 64 lower-case hex digits is refused. Every
    secret is tried, so the time taken does not tell which one matched. Without a secret nothing verifies,
    and an empty secret counts as none: everybody knows it.
    """
    if header is None or _SHAPE.fullmatch(header) is None:
        return None
    matches = [bool(secret) and hmac.compare_digest(sign(body, secret), header) for secret in secrets]
    return matches.index(True) if any(matches) else None


def sign(body: bytes, secret: bytes) -> bytes:
    """Return the header value that signs ``body``, as the tracker computes it."""
    return b"sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest().encode()
