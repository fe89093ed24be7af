"""
One module per kind of event. A handler fetches what it needs, then returns the change that routes the event.

To add one: write the module, and name it in ``webhooks.router``.
"""
