"""
The PostgreSQL backend: one database, any number of hosts, one writing connection and several reading ones for each.

Every write transaction begins with the same advisory lock, so that those of all hosts take turns, as they do in
SQLite: what a change has read stays true until it is committed, and nothing has to be tried again. Readers work on
snapshots and wait for nobody.

``store`` puts it together. ``session`` is what a transaction's function gets to see. ``connect`` makes connections
safe to use, ``link`` keeps one able to begin its next transaction, also after the server was restarted. ``upgrade``
brings the schema up to date, ``listen`` hears at once what other hosts commit, ``texts`` writes statements as the
driver wants them, and ``faults`` translates what the database reports.
"""
