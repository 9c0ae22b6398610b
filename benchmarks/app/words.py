"""Report of the load test `benchmarks.app.hall`: a table for a terminal, and lines for README."""

import re

from benchmarks.app import classes, files, hostile_client, lessons, passing

COLUMNS = {
    "p50_ms": "p50 ms", "p95_ms": "p95 ms", "arrival_p95_ms": "come p95", "exceptions": "faults",
    "skipped": "skipped", "kb_first": "KB first", "kb_rerun": "KB rerun", "server_cores": "cores",
}  # fmt: skip


def as_text(result):
    """The tables for a terminal."""
    if not result["rows"]:
        lines = [*map(of_siege, result["beside"]), *map(of_class, result.get("classes", []))]
        lines += [*map(of_files, result.get("files", [])), *map(of_passing, result.get("passing", []))]
        return "\n".join([*lines, *map(of_course, result.get("course", []))])
    lines = [f"{'page':22} {'sessions':>8} " + " ".join(f"{head:>9}" for head in COLUMNS.values())]
    for row in result["rows"]:
        cells = ("-" if row[name] is None else f"{row[name]:g}" for name in COLUMNS)
        lines.append(f"{row['page']:22} {row['sessions']:8} " + " ".join(f"{cell:>9}" for cell in cells))
    lines += [_of_tour(row) for row in result.get("tours", [])]
    lines += map(of_siege, result.get("beside", []))
    lines += map(of_class, result.get("classes", []))
    came, bad, server, client = (result[name] for name in ("visits", "malformed", "server", "client"))
    lines += [
        f"{came['visits']} visits, {came['cut_off']} cut off: p95 {came['p95_ms']} ms, "
        f"{came['exceptions']} faults, {_memory(came['growth_mb'])}",
        f"{bad['messages']} malformed messages: {bad['faults']} faults; "
        f"shown to their sender: {bad['shown_to_sender'] or 'nothing'}",
        f"server: {server['idle_mb']} MB idle, {server['end_mb']} MB at the end, "
        f"{server['logged_tracebacks']} tracebacks logged",
        f"these visitors: {client['cores']} of a core, their clock late by {client['lag_p95_ms']} ms (p95)",
    ]
    lines += filter(None, [_at_start(result)])
    for row in result["rows"]:
        lines += [f"{row['page']}: {n} times {fault}" for fault, n in row["faults"].items()]
    return "\n".join(lines)


def _of_tour(row):
    return (
        f"tour “{row['page']}”, {row['sessions']} students: next scene p50 {row['p50_ms']} ms, "
        f"p95 {row['p95_ms']} ms (goal {row['goal_p95_ms']:.0f}), {row['exceptions']} faults"
    )


def of_siege(row):
    """A row of `benchmarks.app.hostile_client`."""
    return (
        f"{row['sessions']} students on Letters beside {row['what']} ({row['asked']} answered): "
        f"p50 {_s(row['p50_ms'])}, p95 {_s(row['p95_ms'])} (goal {_s(hostile_client.GOALS['p95_ms'])}); "
        f"first byte p50 {_s(row['first_byte_p50_ms'])}, p95 {_s(row['first_byte_p95_ms'])}, at most "
        f"{_s(row['first_byte_max_ms'])} (goal {_s(hostile_client.GOALS['first_byte_p95_ms'])}); memory "
        f"+{row['memory_mb'] or 0:.0f} MB; {row['exceptions']} faults"
    )


def for_readme(result: dict) -> str:
    """What a class can expect, as Markdown: one line for each goal of the stored result."""
    goals = {row["sessions"]: row for row in result["settings"]["goals"]}
    few, many, cpu = min(goals), max(goals), result["machine"]
    lines = [f"Measured with the visitors on the same {cpu['cores']} cores ({cpu['cpu']}):"]
    crowds = [row for row in result["rows"] if row["sessions"] == few]
    if crowds:
        goal = goals[few]
        both = {name: goal[name] for name in ("p50_ms", "p95_ms")}
        holding = [row for row in crowds if hostile_client.holds(row, both)]
        lines.append(
            f"- {few} students who act once a second: {len(holding)} of {len(crowds)} pages answer within "
            f"{goal['p50_ms']:.0f} ms (median) and {goal['p95_ms']:.0f} ms (p95); {_others(crowds, holding)}"
        )
        worst = max(crowds, key=lambda row: row["arrival_p95_ms"] or 0)
        lines.append(
            f"- {few} who come within a second see the whole page after {_s(worst['arrival_p95_ms'])} "
            f"(p95, {_page(worst)}, the slowest)"
        )
        if start := _at_start(result):
            lines[-1] += f"; {start}"
    for row in result["rows"]:
        if row["sessions"] == many:
            lines.append(
                f"- {_page(row)} with {many} students, one action in {row['period_s']:g} s each: "
                f"{_s(row['p95_ms'])} (p95), {row['skipped']} of "
                f"{row['actions'] + row['skipped']} actions had to wait for the one before; "
                f"{_weight(row)}, {row['kb_rerun']:.0f} for a change"
            )
    tours = result.get("tours", [])
    if tours:
        slow = max(tours, key=lambda row: row["p95_ms"] or 0)
        lines.append(
            f"- {slow['sessions']} students who follow a tour see the next scene after {_s(slow['p95_ms'])} "
            f"(p95, “{slow['page']}”, the slowest)"
        )
    came, bad = result["visits"], result["malformed"]
    lines.append(
        f"- {came['visits']} visits, {came['cut_off']} cut off in the middle: {_memory(came['growth_mb'])}, "
        f"{came['exceptions']} faults; {bad['messages']} malformed messages: {bad['faults']} faults"
    )
    hostile = [row for row in result.get("beside", []) if row["client"] != hostile_client.QUIET]
    if hostile:
        lines.append(_beside(hostile))
    return "\n".join(lines)


def _page(row):
    """A page's title without its number and minutes, which the side bar shows.

    >>> _page({"page": "3 Letters · 12 min"}), _page({"page": "Tours"})
    ('Letters', 'Tours')
    """
    return re.sub(r"^\d+ | · \d+ min$", "", row["page"])


def _weight(row):
    """The bytes of a first visit, as counted by a browser if one was used."""
    if (first := row.get("kb_browser_first")) is None:
        return f"{row['kb_first']:.0f} KB for the first view"
    second = row.get("kb_browser_second")
    later = "" if second is None else f" ({second:.0f} KB for who comes from another page)"
    return f"{first:.0f} KB in a browser for the first visit{later}"


def _at_start(result):
    """Figures of a server that has just started; empty if they were not measured."""
    visits = [row for row in result["rows"] if row.get("first_visit_ms") is not None]
    if not visits or "at_start" not in result:
        return ""
    slow, start = max(visits, key=lambda row: row["first_visit_ms"]), result["at_start"]
    return (
        f"a server that has just started: its first visitor has the whole page after "
        f"{_s(slow['first_visit_ms'])} ({_page(slow)}, the slowest), "
        f"{start['sessions']} students who come within a second to {_page(start)} after "
        f"{_s(start['arrival_p95_ms'])} (p95)"
    )


def of_class(row):
    """A row of `benchmarks.app.classes`."""
    return (
        f"{row['phones']} phones and a lecturer beside {classes.describe_client(row['client'])}: "
        f"{row['refused']} of {row['requests']} requests refused, {row['answers']} answers; "
        f"the lecturer's screen waits "
        f"{_s(row['lecturer_p50_ms'])}, p95 {_s(row['lecturer_p95_ms'])} "
        f"(goal {_s(classes.GOALS['lecturer_p95_ms'])})"
    )


def of_files(row):
    """A row of `benchmarks.app.files`."""
    goals = files.GOALS
    lines = [
        f"{row['sessions']} students on Letters beside {row['files']} hostile files ({row['megabytes']} MB): "
        f"p50 {_s(row['p50_ms'])}, p95 {_s(row['p95_ms'])} (goal {_s(goals['p95_ms'])}; before any file "
        f"{_s(row['before_p95_ms'])}), {row['exceptions']} faults; {row['read']} read, {row['refused']} "
        f"refused, {row['silent']} without a word; the slowest ({row['slowest']}) "
        f"{_s(1000 * (row['slowest_s'] or 0))} (goal {_s(1000 * goals['slowest_s'])}); the server's process "
        f"+{row['memory_mb'] or 0:.0f} MB over {row['rest_mb'] or 0:.0f} MB (goal {goals['memory_mb']:.0f}), "
        f"with all its children at most {row['family_mb'] or 0:.0f} MB"
    ]
    lines += [f"{one['name']}: {one['wrong'] or 'nothing was said'}" for one in row["which"]]
    return "\n".join(lines)


def of_course(row):
    """A row of `benchmarks.app.lessons`."""
    goals, wrong = lessons.GOALS, f"{row['exceptions']} faults"
    wrong += "".join(f"\n  {fault}" for fault in row["faults"])
    if "phones" in row:
        return (
            f"{row['phones']} phones solve a task in a room: {row['solved']} solved, {row['refused']} "
            f"refused, {row['counted']} counted on the wall; an answer is counted after "
            f"{_s(row['seen_p50_ms'])}, p95 {_s(row['seen_p95_ms'])} (goal {_s(goals['seen_p95_ms'])}; from "
            f"letting go of the slider p95 {_s(row['whole_p95_ms'])}); {wrong}"
        )
    goal = f" (goal {_s(goals['p95_ms'])})" if row["is_asked"] else ""
    return (
        f"{row['sessions']} students on Letters {row['what']}, {row['turns']} turns: p50 "
        f"{_s(row['p50_ms'])}, p95 {_s(row['p95_ms'])}{goal}; {row['actions']} actions, {row['skipped']} "
        f"skipped, {row['lines']} live lines, {row['kb_rerun'] or 0:.0f} KB for a change; {wrong}"
    )


def of_passing(row):
    """A row of `benchmarks.app.passing`."""
    goals, alone = passing.GOALS, row["alone_s"]
    wanted = {thing.name: thing.goal_s for thing in passing.THINGS}
    each = ", ".join(f"{name} {s:.1f} s (goal {wanted[name]:g})" for name, s in alone.items())
    text = (
        f"{row['sessions']} visitors who ask for {row['what']} at once: {row['made']} of {row['asked']} "
        f"made, half within {row['p50_s']:.1f} s, the slowest {row['slowest_s']:.1f} s "
        f"(goal {goals['slowest_s']:.0f}), the largest {row['largest_kb']} KB; "
        f"one visitor alone: {each or 'nothing'}; {row['sessions']} students on Letters meanwhile: "
        f"p50 {_s(row['p50_ms'])}, p95 {_s(row['p95_ms'])} (goal {_s(goals['p95_ms'])}; "
        f"before {_s(row['before_p95_ms'])}), {row['exceptions']} faults"
    )
    return "\n".join([text, *row["wrong"], *row["faults"]])


def _beside(rows):
    """The worst figures of a class next to hostile clients."""
    worst = {name: max(row[name] or 0 for row in rows) for name in hostile_client.GOALS}
    return (
        f"- {rows[0]['sessions']} students beside one hostile client of {len(rows)} kinds: "
        f"{_s(worst['p95_ms'])} (p95, the worst), "
        f"{_s(worst['first_byte_p95_ms'])} until somebody new gets the first byte (p95), "
        f"{worst['memory_mb']:.0f} MB more than at rest"
    )


def _others(crowds, holding):
    """The pages that are slower, and by how much."""
    slower = [
        f"{_page(row)} {_s(row['p50_ms'])} and {_s(row['p95_ms'])}" for row in crowds if row not in holding
    ]
    return f"slower: {', '.join(slower)}" if slower else "none is slower"


def _memory(mb):
    """The change in the server's memory, in words."""
    if mb is None:
        return "memory not known"
    grown = f"grows by {mb:.1f} MB" if mb > 0 else f"falls by {-mb:.1f} MB"
    return f"memory {grown} after the first fifth"


def _s(ms):
    """A time in ms or s, for people."""
    if ms is None:
        return "never"
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"
