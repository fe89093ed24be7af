"""
How a running attempt declares its turn.

``trackside turn`` posts to the host (``send`` to ``routes``) or, when nobody answers, leaves a file in the
run's directory (``spool``), which is read when the run's end is observed. Either way a declaration is a
word, not an end: nothing is applied before the run is over (C-121). The last declaration wins; one over HTTP
clears the spool, so a spooled turn is always the newer one.
"""
