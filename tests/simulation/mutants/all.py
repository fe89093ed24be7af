"""The mutants. A break that only one of two guards would find is made in both."""

from __future__ import annotations

from tests.simulation.mutants.mutant import Mutant, Patch

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        name="a write does not check the epoch",
        patches=(
            Patch(
                file="bot/scheduler/launch.py",
                old="if execution.epoch != fence.epoch or over:",
                new="if over:",
            ),
        ),
        tests=("tests/scheduler/test_launch.py", "tests/storage/conformance/test_executions.py"),
        invariants=("no_stale_epoch_writes",),
    ),
    Mutant(
        name="a claim does not check admission and capacity again",
        patches=(
            Patch(
                file="bot/scheduler/claim.py",
                old="    if isinstance(answer, Refused):\n        return answer\n    if request.held",
                new="    if request.held",
            ),
        ),
        tests=("tests/scheduler/test_capacity.py", "tests/scheduler/test_claim.py"),
    ),
    Mutant(
        name="an approval leaves no pass",
        patches=(
            Patch(
                file="bot/scheduler/gates.py",
                old="gate_pass=hold.revision",
                new="gate_pass=None",
            ),
        ),
        tests=("tests/scheduler/test_gates.py",),
        invariants=("what_was_admitted_is_not_asked_again",),
    ),
    Mutant(
        name="a pass is left over after the start",
        patches=(
            Patch(
                file="bot/scheduler/claim.py",
                old="        attempts=execution.number,\n        gate_pass=None,\n",
                new="        attempts=execution.number,\n",
            ),
        ),
        tests=("tests/scheduler/test_gates.py",),
        invariants=("a_pass_is_used_once",),
    ),
    Mutant(
        name="recovery runs what may be running",
        patches=(
            Patch(
                file="bot/host/attempts.py",
                old="adopt=not recovered.relaunch",
                new="adopt=False",
            ),
        ),
        tests=("tests/host/test_adoption.py",),
        invariants=("one_run_of_an_attempt",),
    ),
    Mutant(
        name="a failure frees the slot without evidence",
        patches=(
            Patch(
                file="bot/scheduler/finish.py",
                old="slot=not stopped",
                new="slot=False",
            ),
        ),
        tests=("tests/scheduler/test_timeout.py",),
        invariants=("every_run_has_its_slot",),
    ),
    Mutant(
        name="a stop counts that proves nothing",
        patches=(
            Patch(
                file="bot/host/recovery.py",
                old="        if evidence is StopEvidence.UNKNOWN:\n",
                new="        if evidence is None:\n",
            ),
        ),
        invariants=("every_run_has_its_slot",),
    ),
    Mutant(
        name="completion overtakes what is not routed",
        patches=(
            Patch(
                file="bot/scheduler/finish.py",
                old="and tx.events.unrouted_for(execution.work):",
                new="and False:",
            ),
        ),
        tests=("tests/scheduler/test_finish.py",),
        invariants=("completion_overtakes_nothing",),
    ),
    Mutant(
        name="a Work completes over pending input",
        patches=(
            Patch(
                file="bot/scheduler/finish.py",
                old="    if tx.inputs.pending(work.id):\n        return tx.works.save(work, now)\n",
                new="",
            ),
        ),
        tests=("tests/scheduler/test_finish.py",),
        invariants=("completion_drops_no_input",),
    ),
    Mutant(
        name="a renewal shortens a lease",
        patches=(
            Patch(
                file="bot/storage/sql/sqlite/executions.sql",
                old="MAX(lease_until, :until)",
                new=":until",
            ),
        ),
        tests=("tests/storage/conformance/test_executions.py",),
        invariants=("no_lease_is_shortened",),
    ),
    Mutant(
        name="the retry of an older attempt fires",
        patches=(
            Patch(
                file="bot/scheduler/timers.py",
                old=" or work.attempts != timer.generation:",
                new=":",
            ),
        ),
        tests=("tests/scheduler/test_retry.py",),
    ),
    Mutant(
        name="a failure gives no input back",
        patches=(
            Patch(
                file="bot/scheduler/finish.py",
                old="    tx.inputs.restore(execution.id)\n    if next_step is BlockedReason.INVALID_HINT:",
                new="    if next_step is BlockedReason.INVALID_HINT:",
            ),
        ),
        tests=("tests/scheduler/test_finish.py", "tests/scheduler/test_retry.py"),
        invariants=("no_input_is_lost",),
    ),
    Mutant(
        name="an approval counts for a text that has changed",
        patches=(
            Patch(
                file="bot/approvals/decide.py",
                old="moved = vote.current.revision != hold.revision",
                new="moved = False",
            ),
        ),
        invariants=("decisions_are_about_what_was_seen",),
    ),
    Mutant(
        name="whoever started it may approve it",
        patches=(
            Patch(
                file="bot/approvals/policy.py",
                old="if requirement.not_starter and voter.id == starter.id:",
                new="if False:",
            ),
        ),
        invariants=("only_those_who_may_decide", "no_first_start_without_approval"),
    ),
    Mutant(
        name="a refusal leaves the Work alive",
        patches=(
            Patch(
                file="bot/scheduler/gates.py",
                old="    cancel(tx, work.id, by=settlement.by, reason=settlement.reason, now=now)\n",
                new="",
            ),
        ),
        tests=("tests/scheduler/test_gates.py",),
        invariants=("a_refusal_ends_the_work",),
    ),
    Mutant(
        name="a recovered segment begins when it is recovered",
        patches=(
            Patch(
                file="bot/scheduler/recover.py",
                old="started_at=closed.kept[-1].ended_at or now",
                new="started_at=now",
            ),
            Patch(
                file="bot/scheduler/recover.py",
                old="closed = execution.segments.end(now)",
                new="closed = execution.segments.end(Millis(now - 1))",
            ),
        ),
        tests=("tests/scheduler/test_recover.py",),
        invariants=("segments_join",),
    ),
    Mutant(
        name="a Work starts anew while its run is being stopped",
        patches=(
            Patch(
                file="bot/scheduler/admission.py",
                old="if tx.executions.stopping(work.id):",
                new="if False:",
            ),
        ),
        tests=("tests/scheduler/test_admission.py",),
        invariants=("one_run_of_a_work",),
    ),
    Mutant(
        name="a comment is posted without its intent",
        patches=(
            Patch(
                file="projectors/post.py",
                old='        await self._remember(place, ThreadComment(key=key, comment=INTENT, digest=""))\n',
                new="",
            ),
        ),
        invariants=("every_comment_stands_once",),
    ),
    Mutant(
        name="the sweep reads no comments",
        patches=(
            Patch(
                file="webhooks/sweep.py",
                old="found = await self.comments(repository, now)",
                new="found = 0",
            ),
        ),
        invariants=("all_that_is_said_is_heard",),
    ),
    Mutant(
        name="a change of Work does not make its thread due",
        patches=(
            Patch(
                file="bot/storage/works.py",
                old="        self._show(work)\n        return replace(changed, version=work.version + 1)\n",
                new="        return replace(changed, version=work.version + 1)\n",
            ),
        ),
        invariants=("the_thread_shows_the_store",),
    ),
    Mutant(
        name="usage is charged twice",
        patches=(
            Patch(
                file="bot/scheduler/usage.py",
                old="                tx.ledgers.charge(ledger, amount, claimed_at=staged.claimed_at)\n",
                new="                tx.ledgers.charge(ledger, 2 * amount, claimed_at=staged.claimed_at)\n",
            ),
        ),
        tests=("tests/scheduler/test_usage.py",),
        invariants=("ledgers_count_what_was_used",),
    ),
    Mutant(
        name="what is reserved does not count",
        patches=(
            Patch(
                file="bot/scheduler/budgets.py",
                old="bar.used + bar.reserved + need > bar.max",
                new="bar.used + need > bar.max",
            ),
        ),
        tests=("tests/scheduler/test_budgets.py",),
        invariants=("no_start_goes_beyond_a_budget",),
    ),
    Mutant(
        name="a pass of a budget is left over after the start",
        patches=(
            Patch(
                file="bot/scheduler/claim.py",
                old="        budget_pass=False,\n",
                new="",
            ),
        ),
        tests=("tests/scheduler/test_budgets.py",),
        invariants=("a_budget_pass_is_used_once",),
    ),
    Mutant(
        name="a start does not look at its account",
        patches=(
            Patch(
                file="bot/scheduler/admission.py",
                old="        or account_refusal(tx, account, now)\n",
                new="",
            ),
        ),
        tests=("tests/scheduler/test_accounts.py",),
        invariants=("nothing_starts_on_a_paused_account",),
    ),
    Mutant(
        name="what is left of a parked attempt's time is its whole timeout",
        patches=(
            Patch(
                file="bot/scheduler/park.py",
                old="remaining = execution.binding.timeout - segments.active()",
                new="remaining = execution.binding.timeout",
            ),
        ),
        tests=("tests/scheduler/test_park.py",),
        invariants=("segments_sum",),
    ),
    Mutant(
        name="an interrupted attempt keeps its input",
        patches=(
            Patch(
                file="bot/scheduler/interrupt.py",
                old="    tx.inputs.restore(live.id)\n",
                new="",
            ),
        ),
        tests=("tests/scheduler/test_interrupt.py",),
        invariants=("no_input_is_lost",),
    ),
)
