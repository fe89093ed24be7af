"""
Metrics: what the parts of the bot count, in one registry for each host.

A part declares its own counters and gauges at the top of its file, from ``prometheus_client``, with
``registry=REGISTRY``. ``render`` is what ``/metrics`` answers with. Labels hold names of repositories, kinds and
reasons, never text that a stranger wrote.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

REGISTRY = CollectorRegistry()
CONTENT_TYPE = CONTENT_TYPE_LATEST


def render() -> bytes:
    """Return all metrics in the text format of Prometheus."""
    return generate_latest(REGISTRY)
