"""A program that runs a reader's kernels: it may never end, and print without end."""

import functools
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

LONGEST = 300  # seconds by the clock, on a machine that is busy with other things
PRINTED = 20  # lines of what kernels print


class Running:
    """It runs beside this program until end() or stop(). What it prints is read, counted, and kept but for all that is
    behind the first lines. `said`: a file of its own for what the tools around the kernels have to say."""

    def __init__(self, words, environment=None, seconds=None):
        self.folder = tempfile.TemporaryDirectory()
        self.said_in = Path(self.folder.name) / "said"
        self.first, self.last, self.lines, self.was_stopped = b"", b"", 0, False
        self.said = self.complained = ""  # known at its end; of what it wrote to stderr not all
        self.errors = tempfile.TemporaryFile()
        # In the child: so much of the processor and no more.
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_CPU, (seconds, seconds + 5)) if seconds else None
        self.process = subprocess.Popen(
            [str(word) for word in words], stdout=subprocess.PIPE, stderr=self.errors, preexec_fn=limit,
            env={**os.environ, "TUTORIAL_SAID": str(self.said_in), **(environment or {})})
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while piece := self.process.stdout.read1(1 << 20):
            if len(self.first) < 1 << 16:
                self.first += piece
            self.last = (self.last + piece)[-4096:]
            self.lines += piece.count(b"\n")
        self.lines += self.last[-1:] not in (b"", b"\n")

    def end(self, stop_when=lambda: False):
        """Waits for its end, and makes one when it has taken too long; returns its exit code."""
        begun = time.monotonic()
        while self.process.poll() is None:
            if stop_when() or time.monotonic() - begun > LONGEST:
                self.was_stopped = True
                self.process.kill()
            time.sleep(0.01)
        self.was_stopped |= self.process.returncode == -signal.SIGXCPU
        self.close()
        return self.process.returncode

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.close()

    def close(self):
        if self.errors.closed:
            return
        self.reader.join()
        self.process.stdout.close()
        self.errors.seek(0)
        self.complained = self.errors.read(1 << 16).decode("utf-8", errors="replace")
        self.errors.close()
        self.said = self.said_in.read_text(encoding="utf-8", errors="replace") if self.said_in.exists() else ""
        self.folder.cleanup()

    @property
    def printed(self):
        """The first lines, and how many more there are."""
        return self.shown(self.lines)

    def shown(self, count):
        lines = [line[:200] for line in self.first.decode("utf-8", errors="replace").splitlines()[:min(count, PRINTED)]]
        return [*lines, *([f"... and {count - len(lines):,} more"] if count > len(lines) else [])]

    @property
    def before_the_last(self):
        """The same without the last line, which is a program's verdict; and that line."""
        last = self.last.decode("utf-8", errors="replace").splitlines()
        return self.shown(max(self.lines - 1, 0)), last[-1] if last else ""

    @property
    def ending(self):
        """"crashed (bus error)", "ended with exit code 3"."""
        code = self.process.returncode
        if code == -signal.SIGILL:  # of -fsanitize=bounds
            return "was ended at an index past the end of an array of its own, such as half pack[8]"
        if self.was_stopped:
            return "did not end"
        return f"crashed ({signal.strsignal(-code).lower()})" if code < 0 else f"ended with exit code {code}"
