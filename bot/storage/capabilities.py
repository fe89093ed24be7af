"""What a backend can do beyond the contract. A caller asks for a capability by name, never for a backend."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """
    What one backend offers.

    ``many_hosts``: hosts on several machines may share it. ``notifies``: it tells one host at once what
    another has committed; without it, hosts find that out at their next poll.
    """

    dialect: str
    many_hosts: bool
    notifies: bool
