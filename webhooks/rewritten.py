"""Reviews that say something else than when they were heard of: the API does not tell that, only what they say now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.storage.contract import Tx
from webhooks.fact_documents import from_document
from webhooks.facts import ReviewAction, ReviewFact


def rewritten(tx: Tx, reviews: Iterable[ReviewFact]) -> list[ReviewFact]:
    """Return, for those that were rewritten, the facts that deliveries would have told."""
    found = []
    for review in reviews:
        submitted = replace(review, action=ReviewAction.SUBMITTED)
        known = tx.events.by_natural_key(submitted.natural_key)
        before = None if known is None else from_document(known.data)
        if isinstance(before, ReviewFact) and before.body != review.body:
            found.append(replace(review, action=ReviewAction.EDITED))
    return found
