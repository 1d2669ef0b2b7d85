"""Mutants that skip a step of the coordination protocol."""

from __future__ import annotations

from benchmarks.mutants.mutant import Mutant

_PACKAGE = "optuna_bkop/_coordination"
_TESTS = "tests/optuna_bkop/coordination"


def _mutant(name: str, file: str, text: str, replacement: str, tests: str) -> Mutant:
    return Mutant(name, f"{_PACKAGE}/{file}", text, replacement, (f"{_TESTS}/{tests}",))


PROTOCOL: tuple[Mutant, ...] = (
    _mutant(
        "no verification read",
        "claim.py",
        "rivals = _rivals(study, trial, cube, view, point)",
        "rivals: frozenset[int] = frozenset()",
        "test_claim.py",
    ),
    _mutant(
        "contested point not given back",
        "claim.py",
        "if rivals and not keep:",
        "if False:",
        "test_claim.py",
    ),
    _mutant(
        "rivals that have finished overlooked",
        "claim.py",
        "        and read_point(other, cube) == point\n",
        "        and not other.state.is_finished()\n"
        "        and read_point(other, cube) == point\n",
        "test_claim.py",
    ),
    _mutant(
        "plan withdrawn with the point",
        "claim.py",
        "entry = chosen if chosen.plan else replace(published, point=chosen.point, of=chosen.of)",
        "entry = chosen",
        "test_claim.py",
    ),
    _mutant(
        "everybody takes the first point",
        "claim.py",
        "[plan.place],",
        "[0],",
        "test_rounds.py",
    ),
    Mutant(
        "rivals not remembered",
        "optuna_bkop/_suggest.py",
        "rivals=frozenset() if claim is None else claim.rivals,",
        "rivals=frozenset(),",
        (f"{_TESTS}/test_claim.py",),
    ),
    Mutant(
        "free points ignored",
        "optuna_bkop/_suggest.py",
        "elif view.has_free_point:",
        "elif False:",
        (f"{_TESTS}/test_rounds.py",),
    ),
    Mutant(
        "trials that wait not planned for",
        "optuna_bkop/_suggest.py",
        "n_needed = max(view.plan.n_asking + 1, batch_size - len(view.U_running))",
        "n_needed = max(view.plan.place + 1, batch_size - len(view.U_running))",
        (f"{_TESTS}/test_rounds.py",),
    ),
    Mutant(
        "endless attempts end without a point of one's own",
        "optuna_bkop/_suggest.py",
        "is_last = attempt == _MAX_ATTEMPTS - 1",
        "is_last = False",
        (f"{_TESTS}/test_claim.py",),
    ),
    _mutant(
        "digest not checked",
        "records.py",
        'if len(numbers) % dim or head.get("digest") != _digest(*about, numbers):',
        "if len(numbers) % dim:",
        "test_records.py",
    ),
    _mutant(
        "digest of parts not checked",
        "records.py",
        'if part.get("digest") != head.get("digest") or coordinates is None:',
        "if coordinates is None:",
        "test_records.py",
    ),
    _mutant(
        "number of a copied record not checked",
        "records.py",
        'return head if head.get("number") == trial.number else {}',
        "return head",
        "test_records.py",
    ),
    _mutant(
        "space of a record not checked",
        "records.py",
        'if head.get("space") != cube.key:',
        "if not head:",
        "test_records.py",
    ),
    _mutant(
        "version of a record not checked",
        "records.py",
        'or head.get("version") != _VERSION:',
        ":",
        "test_fuzz.py",
    ),
    _mutant(
        "range of coordinates not checked",
        "records.py",
        "_is_integer(number) and 0 <= number <= _RESOLUTION for number in numbers",
        "_is_integer(number) for number in numbers",
        "test_records.py",
    ),
    _mutant(
        "header written first",
        "records.py",
        "    for index, part in enumerate(parts[1:], start=1):\n"
        '        _write(study, trial, f"{KEY}:{index}", pack({"digest": digest}, part))\n'
        "    head = {\n"
        '        "version": _VERSION,\n'
        '        "number": trial.number,\n'
        "        **dict(zip(_TEXTS, texts, strict=True)),\n"
        "        **dict(zip(_COUNTS, counts, strict=True)),\n"
        '        "parts": len(parts),\n'
        '        "digest": digest,\n'
        "    }\n"
        "    _write(study, trial, KEY, pack(head, parts[0]))\n",
        "    head = {\n"
        '        "version": _VERSION,\n'
        '        "number": trial.number,\n'
        "        **dict(zip(_TEXTS, texts, strict=True)),\n"
        "        **dict(zip(_COUNTS, counts, strict=True)),\n"
        '        "parts": len(parts),\n'
        '        "digest": digest,\n'
        "    }\n"
        "    _write(study, trial, KEY, pack(head, parts[0]))\n"
        "    for index, part in enumerate(parts[1:], start=1):\n"
        '        _write(study, trial, f"{KEY}:{index}", pack({"digest": digest}, part))\n',
        "test_records.py",
    ),
    _mutant(
        "dead trials held for ever",
        "plan.py",
        "alive = [t for t in others if is_younger(t, limits.running)]",
        "alive = [t for t in others if t.number in ages]",
        "test_view.py",
    ),
    _mutant(
        "places reserved for ever",
        "plan.py",
        "asking = [t for t in alive if not has_point(t) and is_younger(t, limits.asking)]",
        "asking = [t for t in alive if not has_point(t)]",
        "test_view.py",
    ),
    _mutant(
        "places reserved for any number of trials",
        "plan.py",
        "    asking = [t for t in asking if t.number in youngest]\n",
        "",
        "test_view.py",
    ),
    _mutant(
        "points of failed trials offered again",
        "plan.py",
        "used = {entries[t.number].point for t in (*planned, *alive)}",
        "used = {entries[t.number].point for t in alive}",
        "test_view.py",
    ),
    _mutant(
        "continued plans not followed",
        "plan.py",
        "    while name in parts:\n",
        "    if name in parts:\n",
        "test_view.py",
    ),
    _mutant(
        "last of equal plans counts",
        "plan.py",
        "parts.setdefault(entry.after, number)",
        "parts[entry.after] = number",
        "test_view.py",
    ),
    _mutant(
        "long trials considered dead",
        "liveness.py",
        "running = max(stale_after, _DEAD_TIMES * longest)",
        "running = stale_after",
        "test_liveness.py",
    ),
    _mutant(
        "heartbeats ignored",
        "liveness.py",
        "if is_heartbeat_enabled(study._storage):",
        "if False:",
        "test_liveness.py",
    ),
    _mutant(
        "slow asks lose their place",
        "liveness.py",
        "asking=max(_ASK_SECONDS, _ASK_TIMES * last_ask),",
        "asking=_ASK_SECONDS,",
        "test_liveness.py",
    ),
    _mutant(
        "few places for many workers",
        "liveness.py",
        "n_asking=max(_N_ASKING, batch_size or 0, _ASKING_TIMES * n_at_once),",
        "n_asking=_N_ASKING,",
        "test_liveness.py",
    ),
    _mutant(
        "foreign clocks trusted",
        "liveness.py",
        "now - min(age, now - self._last_read)",
        "now - age",
        "test_liveness.py",
    ),
    _mutant(
        "a published record is no sign of life",
        "liveness.py",
        "alive_at = written_at(trial)",
        "alive_at = None",
        "test_liveness.py",
    ),
    _mutant(
        "concurrency not noticed",
        "concurrency.py",
        "return int(at_once.max(initial=1))",
        "return 1",
        "test_concurrency.py",
    ),
    _mutant(
        "workers that left still count",
        "concurrency.py",
        "return concurrency(recent[-2 * concurrency(recent) :])",
        "return concurrency(recent)",
        "test_concurrency.py",
    ),
    _mutant(
        "what trials saw running ignored",
        "concurrency.py",
        "at_once = np.where(np.isnan(n_seen), after, np.minimum(n_seen, not_before))",
        "at_once = after",
        "test_concurrency.py",
    ),
)
