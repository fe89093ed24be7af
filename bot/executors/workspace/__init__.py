"""
Where attempts work: a mirror for each repository, and a clone of it for each Work.

The clone borrows the mirror's objects and knows no remote. Once a run has had it, no git command of the host is
run inside it any more, and none reads its configuration: a run could have put a hook, a file system monitor, a
filter or another repository there. What the run left is read as plain files, copied beside the mirror, and checked
by git there (``left``).
"""
