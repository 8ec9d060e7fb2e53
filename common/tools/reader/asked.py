"""Programs of a reader's that begin as a blank file: they read numbers from standard input, and print an answer.

An exercise names with `asks` what is wanted: softmax(rows, columns, numbers). Each input is made anew, so that its
lengths are in no file of the reader's.
"""

import math
import random
import re
import subprocess

LARGEST_ERROR = 1e-5  # of an answer
SECONDS = 120  # for one input
TIMED = (2048, 4096)  # rows and columns, on a GPU


def softmax(row):
    largest = max(row)
    powers = [math.exp(x - largest) for x in row]
    total = math.fsum(powers)
    return [power / total for power in powers]


ASKED = {"softmax": softmax}


def inputs():
    """(rows, columns, base): small ones, each on another side of 32, of 256 and of 1,024, and numbers around `base`."""
    some = random.Random()
    yield 1, 1, 0.0
    yield some.randint(3, 9), some.randint(2, 31), 0.0
    yield some.randint(2, 5), some.randint(33, 255), 1000.0
    yield some.randint(2, 4), some.randint(257, 1023), -1000.0
    yield some.randint(2, 3), some.randint(1025, 3000), 0.0


def text_of(rows, columns, base):
    some = random.Random(columns)
    numbers = [base + some.randint(-512, 512) / 64 for _ in range(rows * columns)]  # floats, all of them
    return numbers, f"{rows} {columns}\n" + " ".join(map(str, numbers)) + "\n"


def wrong(asks, call):
    """(what is wrong or "", what was said on stderr); call(text): a CompletedProcess of the program, or None where it did not
    end. The first input that is wrong ends it."""
    said = ""
    for rows, columns, base in inputs():
        numbers, text = text_of(rows, columns, base)
        where = f"{rows} x {columns} numbers around {base:g}"
        done = call(text)
        if done is None:
            return f"{where}: it does not end", said
        said = done.stderr
        if done.returncode:
            return f"{where}: it ended with exit code {done.returncode}", said
        found = difference(asks, rows, columns, numbers, done.stdout.split())
        if found:
            return f"{where}: {found}", said
    return "", said


def difference(asks, rows, columns, numbers, printed):
    if len(printed) != rows * columns:
        return f"it printed {len(printed):,} numbers, not {rows * columns:,}"
    for row in range(rows):
        here = slice(row * columns, (row + 1) * columns)
        for column, (right, word) in enumerate(zip(ASKED[asks](numbers[here]), printed[here])):
            try:
                is_right = abs(float(word) - right) <= LARGEST_ERROR * right
            except ValueError:
                return f"{word[:20]} is no number"
            if not is_right:
                return f"row {row}, column {column} is {word[:20]}, expected {right:.6g}"
    return ""


def runner(words, environment=None):
    def call(text):
        try:
            return subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True, errors="replace",
                                  env=environment, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None
    return call


def time_of(call):
    """("12.3 us, 900 GB/s read and written", what is wrong) of a matrix of 2,048 x 4,096 on a GPU."""
    rows, columns = TIMED
    row = " ".join(f"{column % 16}.5" for column in range(columns)) + "\n"
    done = call(f"{rows} {columns}\n" + row * rows)
    found = re.search(r"(?m)^time: ([\d.]+) us$", done.stderr if done else "")
    if not found or float(found.group(1)) <= 0:
        return "", f'for {rows:,} x {columns:,} numbers it does not print its kernel\'s time on stderr, as "time: 12.3 us"'
    microseconds = float(found.group(1))
    return f"{microseconds:g} us, {8e-3 * rows * columns / microseconds:,.0f} GB/s read and written", ""
