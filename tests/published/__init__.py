"""
GitHub's own description of its API, and what is checked against it.

``cut`` reads the published file, ``description`` judges one exchange by it, ``watch`` does so for all that pass.
"""
