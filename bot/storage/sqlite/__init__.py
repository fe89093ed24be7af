"""
The SQLite backend: one file, one writer, several readers.

``store`` puts it together. ``session`` is what a transaction's function gets to see. ``connect`` makes connections
safe to use, ``link`` keeps one able to begin its next transaction, ``upgrade`` brings the file's schema up to date,
and ``faults`` translates what SQLite reports.
"""
