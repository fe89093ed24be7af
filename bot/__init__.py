"""
Trackside: a bot beside an issue tracker.

Where to start reading: ``bot.host.app`` puts everything together, ``bot.host.loop`` turns the wheel,
``bot.scheduler`` decides what runs, ``projectors`` shows it in the thread, ``webhooks`` takes events in.

Imports go one way, from the top of this table to its foot; import-linter proves it::

    bot.cli
    bot.demo                       the story on a sample repository
    bot.host                       composition root, loop, HTTP application
    projectors | webhooks
    bot.views                      read models
    bot.executors | bot.trackers   adapters to programs and issue trackers
    bot.approvals                  people's decisions on held Work
    bot.scheduler                  what may start, who holds it, how it ends
    bot.storage | bot.playbook
    bot.domain                     values and rules; standard library only
    bot.errors | bot.ids | bot.clock
"""
