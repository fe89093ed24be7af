"""The composition root: the only place that names concrete adapters and puts them together."""

from __future__ import annotations
