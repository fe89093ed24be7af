"""
Processes of this machine that a record on disk may name.

A number alone names nothing: pids come round again. ``identity`` pairs one with the moment its process
started, ``tree`` finds what a process left behind, ``ended`` waits for an end without asking repeatedly.
The first two are imported by the supervisor and use little of the standard library.
"""
