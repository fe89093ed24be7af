"""Write the snapshots anew: ``python -m tests.projectors.update_snapshots``, then read the difference."""

from __future__ import annotations

from tests.projectors.moments import DIRECTORY, snapshots


def main() -> None:
    DIRECTORY.mkdir(exist_ok=True)
    texts = snapshots()
    for path in DIRECTORY.glob("*.md"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (DIRECTORY / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
