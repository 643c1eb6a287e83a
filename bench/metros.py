"""Lists the reachable states of five files of classic/ that the list of expected verdicts has as invalid.

The counters of these models grow without bound, but all that is compared are their differences to nS, so the states that
matter are finitely many. `pre nB0 + a - pre nB1 <= b` is asked for as long as all hypotheses held so far: it
holds where the largest difference d0 - d1 of a reachable state is at most b - a.

    python3 metros.py
"""


def control(difference, advance, late, count, beacon, second, step):
    """One line: its next state, or None where the hypothesis breaks."""
    if late and second or count >= 9 and beacon:
        return None
    difference += beacon - second
    before = advance
    advance = difference > 0 if advance else difference >= 10
    late = difference < 0 if late else difference <= -10
    count = count + step * beacon if before and advance else 0
    return difference, advance, late, count


def largest(step):
    start = (0, False, False, 0)
    seen, todo = {(start, start)}, [(start, start)]
    while todo:
        lines = todo.pop()
        for choice in range(8):
            b0, b1, second = choice & 1, choice >> 1 & 1, choice >> 2 & 1
            after = tuple(control(*line, b, second, step) for line, b in zip(lines, (b0, b1)))
            if None not in after and after not in seen:
                seen.add(after)
                todo.append(after)
    return len(seen), max(first[0] - other[0] for first, other in seen)


FILES = [  # name, by how much a beacon counts, b - a
    ("metros_3.lus", 1, 40),
    ("metros_3_e4_987.lus", 1, 39),
    ("metros_3_e4_987_e1_1115.lus", 2, 39),
    ("metros_4_e1_821_e5_911.lus", 2, 31),
    ("metros_4_e5_1150.lus", 1, 31),
]

for name, step, limit in FILES:
    states, most = largest(step)
    verdict = "valid" if most <= limit else "invalid"
    print(f"{name}: {states} states, largest difference {most}, {limit} allowed: {verdict}")
