"""What the scripts in the chapters' results/ share: arithmetic that Python does exactly as IEEE 754 says, and how
their files are kept fresh."""

import math
import struct

import recorded


def rounded(value, letter):
    """`value` rounded to float ("f") or half ("e"), to nearest even; what is too large is infinite."""
    try:
        return struct.unpack(letter, struct.pack(letter, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def write(folder, name, figure):
    (folder / name).write_text(recorded.plot_text(figure), encoding="utf-8")


def keep(files, check):
    """Writes what differs of {path: text}, or with check names it; 1 if it named one."""
    stale = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if check:
            print(f"{path.name} is stale: run the script in {path.parents[1].name} that makes it")
        else:
            path.write_text(files[path], encoding="utf-8")
    return int(check and bool(stale))


def worst_nearby(first, last, each, letter, error, parts=16):
    """Points (x, largest error(x) in the neighbourhood) from first to last, `each` per unit; x is of the type."""
    return [[step / each, max(error(rounded((step + part / parts) / each, letter)) for part in range(parts))]
            for step in range(first * each, last * each)]
