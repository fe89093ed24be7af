"""
The whole bot in one thread, driven by one seed.

Real are the store, the router, the scheduler and the loops of the host. Simulated are what lies around them: the
tracker with its people, the machine on which runs go on, the clock, and the death of a host. A run is a list of
steps; each step draws what it does from ``choices``, so that a run can be repeated, cut down and shown.

::

    python -m tests.simulation --seeds 200        many seeds, and what they reached
    python -m tests.simulation --seed 17          one seed, with its history
    python -m tests.simulation --seed 17 --replay 3,0;1;…     a history that was cut down

``world`` is the place to start reading.
"""
