"""``python -m bot.cli``: the same as ``trackside``."""

from bot.cli.main import main

main()
