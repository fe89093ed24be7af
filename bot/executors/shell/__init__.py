"""
The ``shell`` executor: a command, or a short script, as one attempt.

Title, body and everything else that strangers write reach the program by file and environment only; no
text of theirs ever becomes part of a command (see ``config`` and ``environment``).
"""
