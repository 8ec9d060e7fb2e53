#!/usr/bin/env python3
"""Holds every chapter's exercises to their form: each has a hint and a worked answer, folded away,
and every file in answers/ is shown by one of them. (That the answers are right, the targets
NN_name_answers and their tests show.)"""

import re
import unittest

import folders
import runs


def lessons():
    return [page for folder in runs.find_chapters() for page in runs.lessons_of(folder)]


def exercises(page):
    """The text of each exercise of "Your turn"."""
    text = page.read_text(encoding="utf-8")
    section = re.search(r"^## (?:\d+\. )?Your turn$(.*?)^## ", text, re.M | re.S).group(1)
    section = re.sub(r"^```.*?^```", "", section, flags=re.M | re.S)
    return re.split(r"^(?=\d\. \*\*)", section, flags=re.M)[1:]


class Answers(unittest.TestCase):
    def test_every_exercise_has_a_hint_and_an_answer(self):
        for page in lessons():
            found = exercises(page)
            self.assertGreaterEqual(len(found), 2, page.parent.name)
            for number, exercise in enumerate(found, 1):
                where = f"{page.parent.name}, exercise {number}"
                self.assertTrue(exercise.startswith(f"{number}. **"), where)
                folded = re.findall(r"<details><summary>(\w+)</summary>\n\n(.*?)\n\n</details>",
                                    exercise, re.S)
                self.assertEqual([name for name, _ in folded], ["Hint", "Answer"], where)
                self.assertEqual(exercise.count("</details>"), 2, where)
                self.assertTrue(all(words.strip() for _, words in folded), where)

    def test_every_answer_is_shown(self):
        tracked = runs.tracked_files()
        for chapter in runs.find_chapters():
            folder = chapter.name
            pages = [*runs.lessons_of(chapter), *sorted((chapter / "notes").glob("*.md"))]
            text = "\n".join(one.read_text(encoding="utf-8") for one in pages)
            shown = set(re.findall(r"(?:<!-- excerpt:|\]\((?:\.\./)?)answers/([\w.]+)", text))
            there = {name.split("/")[-1] for name in tracked
                     if name.startswith(f"{folder}/answers/") and not name.endswith(".json")}
            self.assertEqual(shown, there, folder)

    def test_readers_files_name_their_check(self):
        for page in lessons():
            name = page.parent.name.partition("_")[2]
            check = f"./tutorial test {name} --yours"
            self.assertIn(check, page.read_text(encoding="utf-8"))
            self.assertIn(check, (page.parent / f"your_{name}.cuh").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
