"""
A small issue tracker that speaks GitHub's REST shapes, for one machine.

It stands in for GitHub where there is none: the demo, a playbook's first try, and the tests, so that the same
client and the same receiver run everywhere. Start reading at ``tracker`` (the object that everything else
uses) and ``app`` (what it answers over HTTP).

How it is made::

    tracker                    the Python interface; opens and closes everything
    app | rest | pages         HTTP: GitHub's paths for programs, pages for people
    git_http                   HTTP: what git clones from and pushes to
    pull_desk | courier        what needs git or the network, between transactions
    threads, labels, comments, reactions, pulls, reviews, hooks, people, repositories
                               what people can do; each runs inside one transaction (an ``Act``)
    apps, installations, access
                               GitHub Apps: registered from a manifest, let in, and what their tokens may do
    moving                     repositories that get another name or owner
    shapes                     the JSON that GitHub would send
    store | git                SQLite and git

It answers on the loopback interface only, and only for names that it was told.
"""
