"""
The small program that starts runs and outlives the host.

One supervisor serves a state directory. For each run it forks a *monitor*, in a session of its own, which
starts the command, waits for it, leaves no process of it behind and writes how it ended. What happened is
read from the run's directory, never from a process: the host, the supervisor and the command may each be
killed at any point, and whoever comes next finds the truth in these files (see ``run_directory``)::

    host ──"run" over a unix socket──▶ supervisor ──fork──▶ monitor ──fork, exec──▶ command
      └──────────── descriptors of processes and files of the run ─────┘

Only ``client`` is the host's side. The other modules run in the supervisor and import next to nothing, as a
fork costs what the forking program is worth.
"""
