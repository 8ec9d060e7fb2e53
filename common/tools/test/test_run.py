#!/usr/bin/env python3
"""`./tutorial run`: the programs of common/test/run, and what the rewriter makes of a text.

A program says in comments at its head what must come:

    // prints: REGEX     stdout holds it, these in their order
    // exits: N          the exit code, if it is not 0
    // refused: REGEX    it is not run, and stderr says so in one sentence
    // check: REGEX      --check finds it (stderr; exit code 3), and nothing else;  // check: clean   it finds nothing
    // remark: REGEX     --check says so and the exit code is the program's
    // trace: REGEX      --trace prints it
    // executor: WHY     nvcc would not take it, or a GPU answers otherwise;  // sanitizers: WHY   they would end it
    // always            it is tried in each `./tutorial test`; the others with TUTORIAL_EVERY_PROGRAM=1 (.ci/run --help)

On a GPU, TUTORIAL_RUN_BACKEND=cuda compiles them by nvcc, and asks for the same output.

{name} in a REGEX is the number of the line that ends in `// name`.
"""

import concurrent.futures
import os
import re
import tempfile
import time
import unittest

import folders

import launch_syntax
import runs
import synthetic

PROGRAMS = sorted((runs.ROOT / "common/test/run").glob("*.cu"))
EVERY = os.environ.get("TUTORIAL_EVERY_PROGRAM") == "1"
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
BACKEND = os.environ.get("TUTORIAL_RUN_BACKEND", "cpu")


def call(*words, cwd=runs.ROOT, **more):
    return synthetic.ran(runs.ROOT / "tutorial", "run", "--backend", BACKEND, *words, cwd=cwd,
                         env={**os.environ, "TUTORIAL_CHECK_SECONDS": "1", **more})


class Program:
    def __init__(self, path):
        self.path = path
        self.text = runs.read_text(path)
        marks = {name: str(i) for i, line in enumerate(self.text.splitlines(), 1) for name in re.findall(r"// (\w+)$", line)}
        self.said = [(kind, re.sub(r"\{(\w+)\}", lambda found: marks.get(found.group(1), found.group()), what))
                     for kind, what in re.findall(r"(?m)^// (\w+): (.+)$", self.text)]
        self.is_quick = "\n// always\n" in self.text

    def all(self, kind):
        return [what for one, what in self.said if one == kind]

    def is_right(self, where):
        return not self.all("refused") and not self.all(where) and self.all("check") in ([], ["clean"])

    def plain_runs(self):
        """The environments to run it in without --check: where every program is tried, a right one runs under the sanitizers, and
        only the quick ones without them, too."""
        is_sanitized = EVERY and self.is_right("sanitizers")
        return [{}] * (self.is_quick or not is_sanitized) + [{"TUTORIAL_RUN_SANITIZERS": SANITIZERS}] * is_sanitized

    def wrong(self):
        """What does not come as the program says."""
        exits = int((self.all("exits") or ["0"])[0])
        faults, remarks = self.all("check"), self.all("remark")
        clean = faults in ([], ["clean"])
        if BACKEND == "cuda":  # what is wrong may do anything there
            return self.compare(call(self.path), exits, self.all("prints"), ("stdout",)) if self.is_right("executor") else []
        if self.all("refused"):
            return self.compare(call(self.path), 2, self.all("refused"), ("stderr",))
        wrong = []
        if not self.all("hangs"):
            for env in self.plain_runs():
                wrong += self.compare(call(self.path, **env), exits, self.all("prints"), ("stdout",))
        if faults or remarks:
            done = call("--check", self.path)
            wrong += self.compare(done, exits if clean else 3, remarks if clean else faults + remarks, ("stderr",))
            if clean and re.search("(?m)^check: .*:[0-9]", done.stderr):
                wrong.append(f"--check finds something: {done.stderr}")
        if self.all("trace"):
            wrong += self.compare(call("--trace", self.path), exits, self.all("trace"), ("stdout", "stderr"))
        return wrong

    def timed(self):
        """What is wrong, and the seconds that it took to know."""
        began = time.monotonic()
        return self.wrong(), time.monotonic() - began

    def compare(self, done, exits, wanted, streams):
        text = "".join(getattr(done, stream) for stream in streams)
        wrong = [] if done.returncode == exits else [f"exit code {done.returncode}, expected {exits}"]
        at = 0
        for what in wanted:
            found = re.compile(what, re.M).search(text, at if streams == ("stdout",) else 0)
            if found:
                at = found.end()
            else:
                wrong.append(f"no {what!r}")
        return wrong and [*wrong, f"it says:\n{done.stdout}{done.stderr}"]


class Programs(unittest.TestCase):
    def test_every_program_does_what_its_head_says(self):
        programs = [one for one in map(Program, PROGRAMS) if EVERY or one.is_quick]
        self.assertTrue(programs)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for program, (wrong, seconds) in zip(programs, pool.map(Program.timed, programs)):
                if EVERY:
                    print(f"{program.path.stem:32} {seconds:5.1f} s")
                with self.subTest(program.path.name):
                    self.assertEqual(wrong, [])


class Page(unittest.TestCase):
    def test_what_a_lesson_shows_of_an_edited_program_is_what_it_prints(self):
        """<!-- edited: OLD -> NEW --> in front of a console says what the reader has changed in your_first.cu."""
        page, program = (runs.read_text(runs.ROOT / "01_elu" / name) for name in ("README.md", "answers/first_program.cu"))
        shown = re.findall(r"(?ms)^<!-- edited: (.*?) -> ?(.*?) ?-->\n```console\n\$ ./tutorial run ([^\n]+)\n(.*?)^```$", page)
        self.assertEqual(len(shown), 3)
        self.assertEqual(call("01_elu/answers/first_program.cu").stdout.strip(), re.search(r"It prints `(.*?)`", page).group(1))
        for old, new, words, expected in shown:
            with self.subTest(old), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(program.count(old), 1)
                synthetic.write(folder, "01_elu/your_first.cu", program.replace(old, new))
                done = call(*words.split(), cwd=folder)
                said = "".join(re.findall(r"(?m)^(?:check: |    \|).*\n", done.stderr))
                self.assertEqual(done.stdout + said, expected)

    def test_what_the_page_shows_is_what_the_commands_print(self):
        page = runs.read_text(runs.ROOT / "common/notes/run.md")
        shown = re.findall(r"(?ms)^```console\n\$ ./tutorial run ([^\n]+)\n(.*?)^```$", page)
        self.assertTrue(shown)
        for words, expected in shown:
            with self.subTest(words):
                done = call(*words.split())
                said = done.stderr.replace("run: building the executor, once\n", "")
                self.assertEqual(done.stdout + said, expected)


HELLO = """#include <cstdio>
__global__ void hello() { printf("hello from %d\\n", threadIdx.x); }
int main(int argc, char** argv) { hello<<<1, 2>>>(); cudaDeviceSynchronize(); return argc; }
"""


class Command(synthetic.Scratch):
    def test_a_program_outside_the_repository_keeps_its_output_its_arguments_and_its_exit_code(self):
        self.put("hello.cu", HELLO)
        done = call("hello.cu", "one", "-x", cwd=self.folder)
        self.assertEqual((done.stdout, done.returncode), ("hello from 0\nhello from 1\n", 3), done.stderr)
        self.assertEqual(os.listdir(self.folder), ["hello.cu"])
        (self.root / "hello.cu").write_bytes(HELLO.replace("return argc", "return 0 /* \xfc */").encode("latin-1"))
        self.assertEqual(call("hello.cu", "one", cwd=self.folder).returncode, 0)  # the text of now

    def test_several_files_headers_macros_and_folders(self):
        self.put("main.cu", '#include "k.cuh"\nint twice(int);\nint main() { go(); return twice(N); }\n')
        self.put("inc/k.cuh", "#pragma once\n#include <cstdio>\n__global__ void k(int n) { printf(\"%d\\n\", n); }\n"
                                "inline void go() { k<<<1, 1>>>(N); cudaDeviceSynchronize(); }\n")
        self.put("more.cpp", "int twice(int n) { return 2 * n; }\n")
        done = call("main.cu", "more.cpp", "-I", "inc", "-DN=21", "-std=c++20", cwd=self.folder)
        self.assertEqual((done.stdout, done.returncode), ("21\n", 42), done.stderr)

    def test_ptx_behind_cuda_arch_has_a_stand_in(self):
        self.put("two.cu", '#include <cstdio>\n__global__ void k(int* p) {\n#ifdef __CUDA_ARCH__\n  asm("mov.u32 %0, 2;" : "=r"(*p));\n'
                             '#else\n  *p = 2;\n#endif\n}\nint main() {\n  int *p, v = 0;\n  cudaMalloc(&p, 4);\n  k<<<1, 1>>>(p);\n'
                             '  cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);\n  std::printf("%d\\n", v);\n}\n')
        done = call("two.cu", cwd=self.folder)
        self.assertEqual(done.stdout, "2\n", done.stderr)

    def test_mistakes_are_one_sentence(self):
        self.put("bad.cu", "__global__ void k() {}\nint main() {\n  k<<<1, 1>>>(;\n}\n")
        self.put("lost.cu", "void lost();\nint main() {\n  lost();\n}\n")
        self.put("ptx.cu", '__global__ void k(int* p) {\n  asm("mov.u32 %0, %%laneid;" : "=r"(*p));\n}\nint main() {}\n')
        self.put("types.cu", "__global__ void add(const float* x, int n) {}\nint main() {\n  add<<<1, 1>>>(5);\n}\n")
        self.put("late.cu", "int main() {\n  cudaStreamAttrValue value = {};\n"
                              "  cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value);\n}\n")
        for words, sentence in (((), "run needs a program"), (["none.cu"], "no such file"), (["bad.cu"], "bad.cu:3: expected"),
                                (["lost.cu"], "lost.cu:3: lost"),
                                (["ptx.cu"], "ptx.cu:2: inline PTX"), (["types.cu"], "types.cu:3: add takes (const float*, int), and is given (int)"),
                                (["late.cu"], "late.cu:3: cudaStreamSetAttribute: the executor does not have it\n"), (["a.txt"], "a.txt: the program's files end in .cu"),
                                (["--frob", "bad.cu"], "--frob"), (["--check", "--trace", "bad.cu"], "one at a time")):
            with self.subTest(words):
                done = call(*words, cwd=self.folder)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(sentence, done.stderr)
                self.assertNotIn("Traceback", done.stderr)

    def test_a_limit_and_an_interrupt_say_which_launch_was_at_work(self):
        self.put("spin.cu", "__global__ void spin(volatile int* p) { while (*p == 0) {} }\n"
                              "int main() { int* p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4);\n  spin<<<1, 1>>>(p); }\n")
        done = call("--limit", "1", "spin.cu", cwd=self.folder)
        self.assertEqual(done.returncode, 124)
        self.assertIn("spin<<<1, 1>>> in spin.cu:3", done.stderr)


class Rewriter(unittest.TestCase):
    def rewritten(self, text):
        sources = launch_syntax.Sources()
        sources.add(text)
        new = launch_syntax.rewrite(text, sources)
        self.assertEqual(new.count("\n"), text.count("\n"))
        return new

    def launched(self, launch, before="__global__ void k(int* x, int n);\n"):
        return self.rewritten(before + launch).splitlines()[-1]

    def test_launches(self):
        one = 'TUTORIAL_LAUNCH("k", "x,n", (k), '
        self.assertEqual(self.launched("k<<<1, 2>>>(x, n);"), one + "1, 2)(x, n);")
        self.assertEqual(self.launched("if (a < b) k <<< f(1, 2), g >> 3 >>> (x, n);"), "if (a < b) " + one + " f(1, 2), g >> 3 ) (x, n);")
        self.assertEqual(self.launched("a::k<<<1, 2>>>(x);"), 'TUTORIAL_LAUNCH("a::k", "x,n", (a::k), 1, 2)(x);')
        self.assertEqual(self.launched("p->k<<<1, 2>>>(x);"), 'TUTORIAL_LAUNCH("p->k", "x,n", (p->k), 1, 2)(x);')
        self.assertEqual(self.launched("t[i]<<<1, 2>>>(x);"), 'TUTORIAL_LAUNCH_ANY("t[i]", "", (t[i]), 1, 2)(x);')
        self.assertEqual(self.launched("k << <f<float>(1), 2 >> > (x, n);"), one + "f<float>(1), 2 ) (x, n);")
        self.assertEqual(self.launched("k<<<1, 2>>>(NULL, f(NULL)); g(NULL);"), one + "1, 2)(nullptr, f(nullptr)); g(NULL);")
        self.assertEqual(self.launched("return k<<<1, 2>>>(x, n);"), "return " + one + "1, 2)(x, n);")

    def test_a_kernel_behind_void_keeps_its_type(self):
        for cast in ("(void*)", "(const void *)", "reinterpret_cast<void*>"):
            for name in ("k", "&k", "k<float, f(2)>"):
                kept = name if cast.startswith("(") else f"({name})"
                self.assertEqual(self.launched(f"p.func = {cast}{kept};"), f"p.func = ::tutorial::cpu::untyped({name});")
        self.assertEqual(self.launched("y = (void*)x;"), "y = (void*)x;")
        self.assertEqual(self.launched("cudaLaunchKernel((void*)k, 1, 2, a);"), "cudaLaunchKernel(k, 1, 2, a);")

    def test_templates(self):
        template = "template <class T, int N> __global__ void __launch_bounds__(N) k(const T* x, int n) {}\n"
        self.assertEqual(self.launched("k<float, (1 > 0)><<<1, 2>>>(x, n);", template),
                         'TUTORIAL_LAUNCH("k<float, (1 > 0)>", "x,n", (k<float, (1 > 0)>), 1, 2)(x, n);')
        self.assertIn("LAUNCH_ANY", self.launched("k<float><<<1, 2>>>(x, n);", template))
        self.assertIn("LAUNCH_ANY", self.launched("k<<<1, 2>>>(x, n);", "void k(int);\n__global__ void k(int* x) {}\n"))
        self.assertIn("LAUNCH_ANY", self.launched("k<<<1, 2>>>(x, n);", "__global__ void k(int* x, int n = 3) {}\n"))
        self.assertIn("LAUNCH_ANY", self.launched("k<<<1, 2>>>(x);", "__global__ void k(int* x) {}\n__global__ void k(float* x) {}\n"))

    def test_clusters_of_a_kernel_are_its_launches(self):
        kernel = "void __cluster_dims__(kBlocks * 2, 1, 1) k(int* x, int n) {}\n"
        self.assertEqual(self.launched("k<<<4, 2>>>(x, n);", "__global__ void k(int*, int);\n__global__ " + kernel),
                         'TUTORIAL_LAUNCH_ANY("k", "", (k), ::tutorial::run::Clusters{kBlocks * 2}, 4, 2)(x, n);')
        self.assertNotIn("__cluster_dims__", self.rewritten("__global__ " + kernel))
        for before, launch in (("template <int kBlocks> __global__ " + kernel, "k<3><<<4, 2>>>(x, n);"),
                               ("__global__ void k(float*) {}\n__global__ " + kernel, "k<<<4, 2>>>(x, n);"),
                               ("__global__ " + kernel, "cudaLaunchKernelEx(&config, k, x, n);")):
            with self.assertRaises(launch_syntax.Refused):
                self.launched(launch, before)

    def test_text_that_is_no_launch_stays(self):
        for text in ('s = "k<<<1, 2>>>(x)";', "// k<<<1, 2>>>(x)", "/* k<<<1,\n 2>>>(x) */", 's = R"(k<<<1, 2>>>(x))";', "c = '<';"):
            self.assertEqual(self.rewritten(text), text)

    def test_shared_memory(self):
        for text, wanted in (("extern __shared__ float s[];", "TUTORIAL_DYNAMIC_SHARED((float), (), s);"),
                             ("extern volatile __shared__ unsigned int s[][4];", "TUTORIAL_DYNAMIC_SHARED((volatile unsigned int), ([4]), s);"),
                             ("extern __shared__ __align__(16) T s[];", "TUTORIAL_DYNAMIC_SHARED((T), (), s);"),
                             ("static __shared__ int s[4];", "__shared__ int s[4];"),
                             ("volatile __shared__ int s[4];", "__shared__ volatile int s[4];"),
                             ("__shared__ int s[4];", "__shared__ int s[4];")):
            self.assertEqual(self.rewritten(f"void f() {{ {text} }}"), f"void f() {{ {wanted} }}")
            if "extern" in text:
                self.assertIn("_OF_FILE(", self.rewritten(text))


if __name__ == "__main__":
    unittest.main()
