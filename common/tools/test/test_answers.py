#!/usr/bin/env python3
"""Holds every lesson's exercises to their form: what is an answer is folded away, the last exercise has a
hint and a worked answer, and every file in answers/ is shown. (That the answers are right, the targets
NN_name_answers and their tests show.)"""

import re
import unittest

import folders
import runs


def lessons():
    return [page for folder in runs.find_chapters() for page in runs.lessons_of(folder)]


class Answers(unittest.TestCase):
    def test_answers_are_folded(self):
        for page in lessons():  # the whole program of lesson 01 is to be run, and no answer
            text = page.read_text(encoding="utf-8").replace("excerpt:answers/first_program.cu", "")
            open_text = re.sub(r"^<details>.*?^</details>", "", text, flags=re.M | re.S)
            regions = re.findall(r"<!-- excerpt:answers/(\S+ \S+) -->", open_text)
            self.assertEqual([], [one for one in regions if not one.endswith(" frame")], page.parent.name)

    def test_the_last_exercise_has_a_hint_and_an_answer(self):
        for page in lessons():
            text = page.read_text(encoding="utf-8")
            turn = re.search(r"^## Your turn$(.*?)^## ", text, re.M | re.S).group(1)
            last = turn.partition("**Carry it over.**")[2]
            folded = re.findall(r"<details><summary>(\w+)</summary>\n\n(.*?)\n\n</details>", last, re.S)
            self.assertEqual([name for name, _ in folded], ["Hint", "Answer"], page)
            self.assertTrue(all(words.strip() for _, words in folded), page)

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
