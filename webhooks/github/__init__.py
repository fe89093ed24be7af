"""
GitHub's payloads, read narrowly.

``payloads`` declares the few fields in use, one file per event turns them into facts, and ``normalise`` is
the table of events. All of it is pure.
"""
