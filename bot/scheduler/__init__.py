"""
The scheduler: what may start, who holds it, how it ends.

One public operation per file. Each decides in one transaction and returns a small frozen value; the host
performs the effects between transactions. Nothing here knows processes, HTTP, SQL or configuration (C-02), and
nothing happens unless a host calls it (C-03).

A start::

    admission → start gates (no transaction) → claim → launch.begin → executor → launch.confirm
    → observe → publish → finish
"""
