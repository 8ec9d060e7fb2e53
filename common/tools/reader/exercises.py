"""The exercises of the chapters: what each asks for, what of it is done, its hints.

A chapter's answers/exercises.json declares them (CONTRIBUTING.md, "Add an exercise"). An exercise is
done when a version of the reader's file has met all its goals; that version is kept in .exercises/, so
that a file may go from one exercise to the next. Its presence is the tick.
"""

import re
import subprocess
import textwrap
from pathlib import Path

import front
import runs
from source import blob, body_of, content_of, without_comments

KEPT = runs.ROOT / ".exercises"
#: What a goal may be about, and how it is said.
GOALS = {
    "max_ulp": "at most {0} ULP",
    "per_thread": "per_thread {0}",
    "load_bytes": "{0} bytes a lane in every load",
    "store_bytes": "{0} bytes a lane in every store",
    "requests_as": "no more requests a warp than the chapter's {0}",
    "blocks_as": "no more blocks than the chapter's {0}",
    "moves": "at most {0} bytes moved from memory and {1} to it",
    "products": "at most {0} multiplications of floats in the code, a multiply-add counted as one",
    "atomics_a_warp": "at most {0} atomic operation a warp",
    "launches": "{0} launch",
    "with": "{0} in the code",
    "without": "no {0} in the code",
    "program": "the program's own check",
    "answers": "the right {0} of every input",
}


class Exercise:
    """One entry of a chapter's exercises.json."""

    def __init__(self, chapter, number, data):
        self.chapter, self.number, self.data = chapter, number, data
        self.name, self.task, self.hints = data["name"], data["task"], data.get("hints", [])
        self.goals = dict(data.get("goals", {}))
        self.answer, self.may = data.get("answer"), data.get("again", [])
        self.asks = data.get("asks")  # its program begins as a blank file, and is judged by what it answers (asked.py)
        if self.asks:
            self.goals["answers"] = self.asks
        elif self.is_program:
            self.goals["program"] = True

    @property
    def is_program(self):
        return bool(self.answer) and self.answer.endswith(".cu")

    @property
    def judged(self):
        """Whether the tool can tell; an exercise on paper it cannot."""
        return bool(self.goals)

    @property
    def file(self):
        """The reader's file."""
        if self.is_program:
            return self.chapter.folder / f"your_{self.name}.cu"
        return front.your_file(self.chapter.folder)

    @property
    def frame(self):
        """The program as --start writes it: the answer, without the bodies that are the reader's to write."""
        if self.asks:
            return f"// {self.task}\n"
        text = (self.chapter.folder / "answers" / self.answer).read_text(encoding="utf-8")
        for name in self.data["write"]:
            text = without_body(text, name)
        return re.sub(r"(?m)^ *//! \[\w+\]\n", "", text)

    def is_frame(self, source):
        """Whether the program is still the frame; comments aside."""
        return without_comments(self.frame).split() == source.code.split()

    @property
    def kept(self):
        return KEPT / self.chapter.folder.name / f"{self.name}{self.file.suffix}"

    @property
    def done(self):
        return self.kept.exists()

    def keep(self, content):
        """The tick: this version has met all goals."""
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.kept, content)

    def left(self, facts):
        """What is left of it, a phrase each; empty if it is done. facts: what yours.py found."""
        if not facts.right:
            return ["it is not right yet"]
        return [f"{said(name, goal)}{now}" for name, goal in self.goals.items()
                for met, now in [facts.meets(name, goal)] if not met] + list(filter(None, [facts.twice(self.may)]))

    def json(self, facts):
        """For programs: whether it is done, and the goals that are not met."""
        left = [name for name, goal in self.goals.items() if not facts.right or not facts.meets(name, goal)[0]]
        return {"name": self.name, "done": self.done, "left": left + ["twice"] * bool(facts.right and facts.twice(self.may))}


class Chapter:
    """A chapter's exercises."""

    def __init__(self, folder):
        self.folder = Path(folder)
        path = self.folder / "answers" / "exercises.json"
        data = runs.load_json(path) if path.exists() else {}
        self.beside, self.starter = data.get("beside", ""), data.get("starter", "")
        self.exercises = [Exercise(self, number, one) for number, one in enumerate(data.get("exercises", []), 1)]

    @property
    def file(self):
        return front.your_file(self.folder)

    @property
    def edited(self):
        content = content_of(self.file)
        return content is not None and blob(content) != self.starter

    def find(self, wanted):
        for exercise in self.exercises:
            if wanted in (exercise.name, str(exercise.number)):
                return exercise
        names = ", ".join(f"{one.number} {one.name}" for one in self.exercises) or "none"
        raise runs.ToolError(f"{self.folder.name} has no exercise {wanted}; it has {names}")

    @property
    def next(self):
        return next((one for one in self.exercises if one.judged and not one.done), None)

    def programs(self):
        """The exercises whose program the reader has begun."""
        return [one for one in self.exercises if one.is_program and one.file.exists()]


def all_chapters():
    return [Chapter(folder) for folder in runs.find_chapters() if (folder / "answers/exercises.json").exists()]


def said(name, goal):
    if isinstance(goal, list):
        if name == "moves":
            return GOALS[name].format(*(f"{number:,}" for number in goal))
        goal = (" or " if name == "without" else " and ").join(str(word).rstrip("(").replace("|", " or ") for word in goal)
    return GOALS[name].format(goal) + ("es" if name == "launches" and goal > 1 else "")


# -------------------------------------------------------------------------------------------------
# The files


def write_whole(path, content):
    """All of it or nothing: a disk that is full leaves no half of a file."""
    arriving = path.with_name(f".{path.name}.arriving")
    try:
        arriving.write_bytes(content)
        arriving.replace(path)
    except OSError:
        arriving.unlink(missing_ok=True)
        raise


def keep_aside(path, content):
    """Writes a file's content into .exercises/ under a name that is free; returns that."""
    folder = KEPT / path.parent.name
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (target := folder / f"{path.stem}.{number}{path.suffix}").exists():
        number += 1
    write_whole(target, content)
    return target


def restore(chapter, exercise):
    """Puts the starter of a file back, the exercise's own if it has one; returns where the old file is, or
    None if it was the starter."""
    refuse_paper(exercise)
    program = exercise is not None and exercise.is_program
    path = exercise.file if program else chapter.file
    was = content_of(path)
    if not program and was is not None and not chapter.edited:
        return None
    content = exercise.frame.encode() if program else starter_of(chapter)
    if was == content:
        return None
    old = keep_aside(path, was) if was is not None else None
    write_whole(path, content)
    return old


def refuse_paper(exercise):
    if exercise and not exercise.judged:
        raise runs.ToolError(f"{exercise.name} is on paper: there is no file to start")


def starter_of(chapter):
    """Its bytes, by their name in git; ToolError where git does not have them."""
    done = subprocess.run(["git", "-C", str(runs.ROOT), "cat-file", "blob", chapter.starter], capture_output=True,
                          check=False)
    if done.returncode or blob(done.stdout) != chapter.starter:
        name = front.here(chapter.file)
        raise runs.ToolError(f"git does not have the starter of {name} here; take the file from a fresh clone")
    return done.stdout


def start(exercise):
    """Writes the frame of a program."""
    refuse_paper(exercise)
    if not exercise.is_program:
        raise runs.ToolError(f"{exercise.name} is written in {front.here(exercise.file)}, which is there already")
    if exercise.file.exists():
        raise runs.ToolError(f"{front.here(exercise.file)} is there already; --restore in the place of "
                             "--start begins it again, and keeps your file")
    write_whole(exercise.file, exercise.frame.encode())


def without_body(text, name):
    """The text with a region between two lines //! [name], or the body of a function, left to the reader."""
    region = re.search(rf"(?ms)^( *)//! \[{re.escape(name)}\]\n.*?^ *//! \[{re.escape(name)}\]\n", text)
    function = re.search(rf"(?m)^(?P<head>[\w ].*\b{re.escape(name)}\([^;{{]*?\)[^;{{]*?)\{{", text)
    if region:
        indent, body = region.group(1), textwrap.dedent(region.group(0))
        # What the rest of the program names is there, so that it compiles; the rest of what is missing is told.
        rest, told = text.replace(region.group(0), ""), []
        kept = [f"constexpr {name_} = 1;\n" for name_ in re.findall(r"(?m)^constexpr ([^=\n]*\w) =", body)]
        for head in re.findall(r"(?m)^((?:template <[^\n]*>\n)?(?:__global__|__device__|inline|[\w:]+)\s[^;{}=]*?\))[^;{}()]*\{", body):
            called = re.search(r"(\w+)\([^()]*\)$", head)
            if called is None or head.startswith(("return", "if", "for", "#")):
                continue
            if re.search(rf"\b{called.group(1)}\b", rest):
                kept.append(head + (" {}\n" if re.search(r"\bvoid\b", head) else " {\n  return {};\n}\n"))
            else:
                told.append(" ".join(head.split()))
        lines = ["Yours to write" + (":" if told or kept else "."), *told]
        return text.replace(region.group(0), "".join(f"{indent}// {line}\n" for line in lines) + "".join(kept))
    if not function:
        raise runs.ToolError(f"there is no function or region {name} to write")
    begin = function.end()
    end = begin + len(body_of(text, begin)) - 1
    answer = "" if re.search(r"\bvoid\b", function.group("head")) else "\n  return {};"
    return f"{text[:begin]}\n  // Yours to write.{answer}\n{text[end:]}"


# -------------------------------------------------------------------------------------------------
# ./tutorial exercises


def run(arguments, folder):
    if arguments.exercise and folder is None:
        raise runs.ToolError("name the chapter first")
    everything = [Chapter(folder)] if folder else all_chapters()
    chapter = everything[0] if folder else next((one for one in everything if one.next), everything[0])
    exercise = chapter.find(arguments.exercise) if arguments.exercise else chapter.next
    if arguments.restore:
        return run_restore(chapter, folder, exercise if arguments.exercise else None)
    if arguments.hint is not None:
        return show_hint(exercise, arguments.hint)
    if arguments.start:
        if exercise is None or not arguments.exercise:
            raise runs.ToolError(f"--start needs a chapter and an exercise: {front.command('exercises elu --start NAME')}")
        start(exercise)
        judged = front.command(f"test {runs.ladder_of_chapter(chapter.folder)} --yours")
        front.say(f"{front.here(exercise.file)} is yours to write: what is missing is marked. {judged} judges it.")
        return 0
    if arguments.exercise:
        return show(exercise)
    for one in everything:
        list_chapter(one)
    tell_next(next((one.next for one in everything if one.next), None))
    return 0


def run_restore(chapter, folder, exercise):
    if folder is None:
        raise runs.ToolError(f"--restore needs a chapter: {front.command('exercises elu --restore')}")
    old = restore(chapter, exercise)
    name = front.here(exercise.file if exercise else chapter.file)
    front.say(f"{name} is the starter" + (f" again; your file is kept as {front.here(old)}" if old else " already"))
    return 0


def show_hint(exercise, number):
    if exercise is None:
        raise runs.ToolError("every exercise is done; name one for its hints")
    count = len(exercise.hints)
    if not 1 <= number <= count:
        raise runs.ToolError(f"{exercise.name} has {front.plural(count, 'hint')}"
                             + (": --hint 1" if count == 1 else f": --hint 1 to --hint {count}" if count else ""))
    front.say(f"{exercise.chapter.folder.name} {exercise.number} {exercise.name}, hint {number} of {count}:")
    front.say(f"  {exercise.hints[number - 1]}")
    return 0


def show(exercise):
    front.say(f"{exercise.chapter.folder.name} {exercise.number} {exercise.name}: {exercise.task}")
    for name, goal in exercise.goals.items():
        front.say(f"  goal: {said(name, goal)}")
    front.say(f"  lesson: {front.here(exercise.chapter.folder / 'README.md')}")
    front.say(f"  file: {front.here(exercise.file)}" if exercise.judged else "  on paper: the tool does not judge it\n")
    if exercise.hints:
        front.say(f"  {front.plural(len(exercise.hints), 'hint')}: --hint 1")
    if exercise.answer:
        front.say(f"  worked answer: {front.here(exercise.chapter.folder / 'answers' / exercise.answer)}")
    if exercise.done:
        front.say(f"  done: {front.here(exercise.kept)}")
    return 0


def list_chapter(chapter):
    judged = [one for one in chapter.exercises if one.judged]
    done = sum(one.done for one in judged)
    state = "edited" if chapter.edited else "the starter"
    front.say(f"{chapter.folder.name}: {done} of {len(judged)} done ({front.here(chapter.file)} is {state})")
    for one in chapter.exercises:
        mark = "\u2713" if one.done else " " if one.judged else "-"
        front.say(f"  {mark} {one.number} {one.name:<16} {one.task}")


def tell_next(exercise):
    front.say()
    if exercise is None:
        front.say("Every exercise is done.")
        return
    name = runs.ladder_of_chapter(exercise.chapter.folder)
    if exercise.is_program and not exercise.file.exists():
        first = f"{front.command(f'exercises {name} {exercise.name} --start')} begins it"
    else:
        first = f"edit {front.here(exercise.file)}, then {front.command(f'test {name} --yours')}"
    front.say(f"next: {exercise.chapter.folder.name} {exercise.number} {exercise.name}: {first}")
    if exercise.hints:
        front.say(f"      {front.command(f'exercises {name} {exercise.name} --hint 1')} helps")
