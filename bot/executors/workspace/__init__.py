"""
Where attempts work: a mirror for each repository, and a clone of it for each Work.

The clone borrows the mirror's objects and knows no remote. Once a run has had it, no git command of the host is
run inside it any more: what the run committed is fetched from outside, into the mirror, whose configuration and
hooks no run can reach. So nothing that a run writes into its ``.git`` is ever executed by the host.
"""
