"""
Publishing: the only place that pushes branches and opens pull requests.

It is idempotent, from any point at which it was cut off: what is there already is found, not made again. Branches
are never forced, and what people ended is not begun anew.
"""
