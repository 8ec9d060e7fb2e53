"""./tutorial export: a rung as one file that plain `nvcc` compiles: the kernel, its arithmetic, a launcher, and a
main() that checks and times it. All of it is gathered from the sources (gather.py); what is written here is the program
around the kernel.

Which kernel a rung is, with which template arguments and how many threads a block, stands in the chapter's launch
tables (launches*.txt), which a test compares with the launchers; how wrong it may be, in the recorded accuracy.
proof/export.json has the rest: what the result is compared with where it is not the chapter's own formula.
"""

import fnmatch
import json
import re
from pathlib import Path

import export_whole
import front
import gather
import runs

FORMATS = {  # how it is called, what counts as infinity, the smallest normal exponent, bits behind the point
    "float": ("float", "0x1p128", -126, 23), "half": ("half", "0x1p16", -14, 10), "__nv_bfloat16": ("bf16", "0x1p128", -126, 7),
    "__nv_fp8_e4m3": ("fp8", "448.0", -6, 3), "__nv_fp8_e5m2": ("fp8", "57344.0", -14, 2)}
OTHER_TABLES = "views|backward"  # of launches
OVERLAP = ["*_pdl", "*_e[45]m[23]x16_*", "e[45]m[23]x16_*"]
WIDE = {"half": "__half2float({})", "__nv_bfloat16": "__bfloat162float({})", "__nv_fp8_e4m3": "static_cast<float>({})",
        "__nv_fp8_e5m2": "static_cast<float>({})"}
HEADERS = (("cuda_bf16.h", r"__nv_bfloat162?\b"), ("cuda_fp16.h", r"\bhalf2?\b"), ("cuda_fp8.h", r"\b__nv_fp8_"),
           ("algorithm", r"std::(min|max|clamp|sort|stable_sort|equal|max_element|copy|fill|swap)\b"), ("cstddef", r"std::size_t"), ("cfloat", "FLT_MAX"),
           ("cmath", r"std::(fabs|exp|fm|isnan|ilogb|ldexp|tanh)"), ("cstdint", "std::u?int"), ("cstdio", "std::printf"), ("cstdlib", "std::exit"),
           ("cstring", "std::memcpy"), ("initializer_list", "std::initializer_list"), ("limits", "numeric_limits"), ("map", "std::map"), ("mutex", "std::mutex"), ("numeric", "std::gcd"), ("string", "std::(string|to_string)"), ("type_traits", r"std::(is_|conditional_t|void_t)"), ("utility", r"std::(move|forward|pair|integer_sequence|index_sequence|make_index_sequence)\b"), ("vector", "std::vector"))


class Rung:
    """What is known of a rung before anything is gathered."""

    def __init__(self, folder, name):
        self.folder, self.name = Path(folder), name
        self.spec = spec_of(folder)
        self.of_rung = next((value for key, value in self.spec.get("rungs", {}).items() if fnmatch.fnmatchcase(name, key)), {})
        self.loops = self.of_rung.get("loops", False)  # over tiles, in as many blocks as the GPU holds
        line = launch_of(folder, self.of_rung.get("launch", name), min if self.loops else max)
        if not line:
            raise runs.ToolError(f"{folder.name} has no rung {name} to export: {front.command(f'export {runs.ladder_of_chapter(folder)}')} "
                                 "lists them")
        self.size, blocks, self.threads, self.kernel = line
        self.kernel = respelled(self.of_rung.get("kernel", self.kernel))
        for short, plain in self.spec.get("kernels", {}).items():
            self.kernel = self.kernel.replace(short, plain)
        self.library = gather.Library(*self.headers())
        self.kernel = gather.spelled(self.library, self.kernel)
        self.piece = next(piece for piece in self.library.pieces[self.kernel.split("<")[0]] if "__global__" in piece.text)
        self.known = {}
        if "tutorial::primitives" not in self.piece.path.read_text(encoding="utf-8"):
            gather.settle(self.library, self.kernel, self.known)
        self.plain = gather.Plain(self.library, self.known)
        self.parameters = self.parameters_of_kernel()
        self.per_thread = self.elements_a_thread(blocks)

    def headers(self):
        """The headers of the kernel, the arithmetic and the reference."""
        name = runs.ladder_of_chapter(self.folder)
        own = [path for path in runs.headers(self.folder) if not path.name.startswith("your_")]
        kernel = self.kernel.split("<")[0]
        mine = [path for path in own if "backward" not in path.name and re.search(rf"\b{kernel}\(", path.read_text(encoding="utf-8"))]
        rest = [path for path in own if path.name.endswith("_math.cuh") and path not in mine]
        shared = [path for path in (runs.ROOT / "common").glob("*.cuh") if re.search(rf"void {kernel}\(", path.read_text(encoding="utf-8"))]
        if "__nv_fp8" in self.kernel:
            shared.append(runs.ROOT / "common" / "fp8.cuh")
        if not mine and not shared:
            raise runs.ToolError(f"the kernel {kernel} was not found")
        return [*mine, *rest, *shared, self.folder / "proof" / f"{name}_reference.h"]

    def parameters_of_kernel(self):
        """[(type, name)] of the kernel, its template parameters filled in."""
        given = gather.arguments(self.kernel.partition("<")[2][:-1])
        values = dict(zip([one for _, one in gather.parameters_of(self.piece.text)], given))
        result = []
        for one in gather.arguments_of(self.piece.text, self.piece.name):
            kind, _, last = re.sub(r"\s+", " ", one).rpartition(" ")
            kind += "*" * last.count("*")
            for key, value in values.items():
                kind = re.sub(rf"\b{key}\b", value, kind)
            if "..." in kind:  # one for each argument that is left
                kinds = given[len(values) - 1:]
                result += [(f"const {one}*", name) for one, name in zip(kinds, "x" if len(kinds) == 1 else "abcd")]
                continue
            result.append((re.sub(r"\bByte\b", "std::uint8_t", kind), last.strip("*&.")))
        inputs = [name for kind, name in result if re.match(r"const .*\*$", kind)]
        names = dict(zip(inputs, "x" if len(inputs) == 1 else "abcd"))
        names.update({name: "n" if kind == "std::int64_t" else "y" for kind, name in result
                      if kind == "std::int64_t" or re.match(r"(?!const).*\*$", kind)})
        return [(kind, names.get(name, name)) for kind, name in result]

    @property
    def kinds(self):
        """{"x": "half"}: what the inputs are of."""
        return {name: kind[6:-1] for kind, name in self.parameters if re.match(r"const .*\*$", kind)}

    @property
    def overlaps(self):
        """Whether its blocks may begin before the launch before it has ended."""
        return any(fnmatch.fnmatchcase(self.name, one) for one in [*OVERLAP, *self.spec.get("overlap", [])])

    @property
    def output(self):
        return next(((kind[:-1], name) for kind, name in self.parameters if re.match(r"(?!const).*\*$", kind)))

    def elements_a_thread(self, blocks):
        for each in (1, 2, 4, 8, 16, 32, 64):
            rest = self.size % each
            packs = self.size // each
            threads = packs if rest == 0 else (packs + 31) // 32 * 32 + rest
            if -(-threads // self.threads) == blocks:
                return each
        raise runs.ToolError(f"the launch of {self.name} is none of one list of elements")

    def argument(self, kind, name):
        """What the launcher hands to the kernel: a parameter of its own, or OneByOne<Greater>{}, an operation with its numbers."""
        if "*" in kind or kind == "std::int64_t":
            return name
        values = next((value for key, value in self.spec.get("operations", {}).items() if fnmatch.fnmatchcase(kind.split("<")[0], key) or
                       fnmatch.fnmatchcase(kind, key)), "")
        return f"{kind}{{{values}}}"

    @property
    def bound(self):
        """The largest error that the rung claims, in ULP; 0 for results that are exact."""
        if "bound" in self.of_rung:
            return self.of_rung["bound"]
        for gpu in front.recorded_gpus(self.folder):
            path = self.folder / "results" / f"{gpu}_accuracy.json"
            for row in runs.load_json(path)["accuracy"] if path.exists() else []:
                if row["rung"] == self.name:
                    return row["bound"]
        raise runs.ToolError(f"no recorded accuracy says how wrong {self.name} may be: {front.command('record GPU')} measures it, on a GPU")

    @property
    def expected(self):
        """The result in double, of x, or of a and b."""
        if "expected" in self.of_rung:
            return self.of_rung["expected"]
        name = runs.ladder_of_chapter(self.folder)
        variant = f"{name}_{self.name.split('_')[0]}_reference"
        function = variant if variant in self.library.pieces else f"{name}_reference"
        return f"{function}({', '.join(self.kinds)})"


def respelled(kernel):
    for short, long in {"unsigned char": "std::uint8_t", "signed char": "std::int8_t", "int": "std::int32_t", "long": "std::int64_t",
                        **gather.SPELLINGS}.items():
        kernel = re.sub(rf"\b{short}\b", long, kernel)
    return kernel


def launch_of(folder, name, choose=max):
    """(elements, blocks, threads, kernel<...>): the launch of that name for most elements, of arrays aligned to what it needs."""
    found = []
    for function, size, _, shape, kernel in runs.launches(folder, OTHER_TABLES):
        size = re.fullmatch(r"\(?([\d,]+?),?\)?(?: \(\1,?\))?", size) if function == name else None
        if size:
            found.append((int(size[1].replace(",", "")), *shape, kernel))
    return choose((one for one in found if one[3] == found[0][3]), default=None)


def names(folder):
    """The rungs that can be exported."""
    found = [function for function, size, *_ in runs.launches(folder, OTHER_TABLES) if re.fullmatch(r"\w+ [\d,]+", f"{function} {size}")]
    spec = spec_of(folder)
    found += [name for name, value in spec.get("rungs", {}).items() if "launch" in value]
    found += export_whole.rungs(spec)
    return runs.unique(name for name in found if not any(fnmatch.fnmatchcase(name, one) for one in spec.get("not", [])))


def why_not(folder, name):
    """Why a rung cannot be exported, if it is known. In the sentence `{last}` is the operator's rung."""
    last = next((one for one in names(folder) if re.fullmatch(name.replace("operator_", "") + r"\w*_pdl", one)), None)
    return next((f"{name} is no kernel of its own: {why.format(last=last)}"
                 for pattern, why in spec_of(folder).get("refused", {}).items()
                 if fnmatch.fnmatchcase(name, pattern) and name not in names(folder)), None)


def spec_of(folder):
    """proof/export.json. A rung whose name and launch have {type} stands for each type that is launched so and not named itself."""
    path = folder / "proof" / "export.json"
    spec = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name, value in list(spec.get("rungs", {}).items()):
        if "{type}" in name:
            del spec["rungs"][name]
            pattern = re.escape(value["launch"]).replace(r"\{type\}", r"(\w+)")
            for found in (re.fullmatch(pattern, launch[0]) for launch in runs.launches(folder, OTHER_TABLES)):
                if found:
                    spec["rungs"].setdefault(name.format(type=found[1]), {**value, "launch": found[0]})
    return spec


# -------------------------------------------------------------------------------------------------
# The program


def launcher(rung, kernel):
    output = rung.output[1]
    each, threads = rung.per_thread, rung.threads
    tail = re.search(r"\btail_element\b", kernel)
    count = "n" if each == 1 else f"threads_for(n / {each}, n % {each})" if tail else f"(n + {each - 1}) / {each}"
    parameters = ", ".join(f"{kind} {name}" for kind, name in rung.parameters if "*" in kind or kind == "std::int64_t")
    stream = ", cudaStream_t stream"
    if len(function_name(rung)) + len(parameters) + len(stream) > 84:
        stream = ",\n" + " " * (13 + len(function_name(rung))) + "cudaStream_t stream"
    call = rung.plain.fill(rung.kernel)
    arguments = ", ".join(rung.plain.fill(rung.argument(kind, name)) for kind, name in rung.parameters)
    shared = f"kThreads * {rung.of_rung['shared']}" if "shared" in rung.of_rung else "0"
    blocks = AS_MANY_AS_FIT if rung.loops else "  const auto blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);"
    begin = OVERLAPPING.format(kernel=call, arguments=arguments) if rung.overlaps else \
        f"  {call}<<<blocks, kThreads, {shared}, stream>>>({arguments});\n  return cudaGetLastError();"
    what = "device pointers to n elements" if rung.output[0] != "unsigned" else \
        f"device pointers; a bit of {output} for each of n elements, in whole words"
    aligned = ", aligned to 16 bytes" if re.search("LDST128BITS|FLOAT4|Pack<|Half8&", kernel) else ""
    return f"""// {", ".join(name for kind, name in rung.parameters if "*" in kind)}: {what}{aligned}. Does not wait for the kernel.
cudaError_t {function_name(rung)}({parameters}{stream}) {{
  if (n == 0) return cudaSuccess;
  constexpr int kThreads = {threads};  // a block
  const std::int64_t threads = {count};
{blocks}
{begin}
}}"""


AS_MANY_AS_FIT = """  int device = 0, multiprocessors = 0, resident = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&resident, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  }
  if (error != cudaSuccess) return error;
  const std::int64_t most = std::int64_t{multiprocessors} * resident / kThreads;
  const auto blocks = static_cast<unsigned>(std::min((threads + kThreads - 1) / kThreads, most));"""
OVERLAPPING = """  // Its blocks may begin before those of the launch before it have all ended; code for GPUs before
  // sm_90 does not wait for them, and is launched as usual.
  const auto kernel = {kernel};
  static const bool waits = [&] {{
    cudaFuncAttributes attributes{{}};
    return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90;
  }}();
  cudaLaunchAttribute overlap{{}};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{{}};
  config.gridDim = blocks;
  config.blockDim = kThreads;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = waits ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, {arguments});"""


def function_name(rung):
    prefix = rung.spec.get("prefix", runs.ladder_of_chapter(rung.folder) + "_")
    return rung.name if rung.of_rung.get("own_name") else prefix + rung.name


CHECK = """#define CHECK(call)                                                                \\
  do {                                                                             \\
    const cudaError_t error = call;                                                \\
    if (error != cudaSuccess) {                                                    \\
      std::printf("line %d: %s\\n", __LINE__, cudaGetErrorString(error));           \\
      std::exit(1);                                                                \\
    }                                                                              \\
  } while (0)"""

ORDINARY = """// Between -4 and 4, in no order.
float ordinary(std::int64_t i) {
  return static_cast<float>(static_cast<std::uint32_t>(i) * 2654435761u >> 8) * 0x1p-21f - 4.0f;
}"""

BITS = """// Every {called} comes up: the first {count:,} have their numbers as bits.
{type} input(std::int64_t i) {{
  const auto bits = static_cast<{bits}>(i);
  {type} value;
  std::memcpy(&value, &bits, sizeof value);
  return i < {count} ? value : {ordinary};
}}"""

INPUT = {
    **{kind: ORDINARY + "\n\n" + BITS.format(called=called, count=1 << bits, type=kind, bits=f"std::uint{bits}_t",
                                            ordinary=f"{make}(ordinary(i))")
       for kind, called, bits, make in (
           ("half", "half", 16, "__float2half"), ("__nv_bfloat16", "bf16", 16, "__float2bfloat16"),
           ("__nv_fp8_e4m3", "eight-bit float", 8, "__nv_fp8_e4m3"), ("__nv_fp8_e5m2", "eight-bit float", 8, "__nv_fp8_e5m2"))},
    "float": ORDINARY + """

// Of the first 65,536, any bits: floats of every size, infinities and NaN among them.
float input(std::int64_t i) {
  const auto bits = static_cast<std::uint32_t>(i) * 2654435761u;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return i < 65536 ? value : ordinary(i);
}""",
    "std::uint8_t": """// Every second value is false, of the others any bit is set.
std::uint8_t {name}(std::int64_t i) { return static_cast<std::uint8_t>(i % 2 == 0 ? 0 : i / 2); }""",
    **{f"std::int{bits}_t": f"""// Any bits, in no order.
std::int{bits}_t input(std::int64_t i) {{
  return static_cast<std::int{bits}_t>(static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u >> {64 - bits});
}}""" for bits in (8, 32, 64)},
}

ERROR_OF_1 = """// How far a result is from the exact one.
double error_in_ulp(double expected, double actual) { return std::fabs(actual - expected); }"""

ULP = """// How wrong a result is, in units of the last place of a {called}. {infinity}
double error_in_ulp(double expected, double actual) {{
  if (std::isnan(expected) || std::isnan(actual)) {{
    return std::isnan(expected) && std::isnan(actual) ? 0.0 : {most};
  }}
  expected = std::fmax(-{most}, std::fmin(expected, {most}));
  actual = std::fmax(-{most}, std::fmin(actual, {most}));
  const int exponent = std::max(std::ilogb(expected), {least});
  return std::fabs(actual - expected) / std::ldexp(1.0, exponent - {digits});
}}"""

FILL = """// n elements of device memory that repeat those of `part`.
{type}* on_device(const std::vector<{type}>& part, std::int64_t n) {{
  const auto size = static_cast<std::int64_t>(part.size());
  {type}* all = nullptr;
  CHECK(cudaMalloc(&all, n * sizeof({type})));
  for (std::int64_t i = 0; i < n; i += size) {{
    const std::int64_t count = std::min(size, n - i);
    CHECK(cudaMemcpy(all + i, part.data(), count * sizeof({type}), cudaMemcpyHostToDevice));
  }}
  return all;
}}"""


INFINITY = """An infinity counts as the power of
// two behind the largest number."""
SATURATES = """What is too large
// is the largest number."""


def program(rung):
    """main() and what it needs."""
    (out, y), kinds = rung.output, rung.kinds
    is_bits, is_exact = out == "unsigned", out in ("std::uint8_t", "unsigned", "std::int32_t", "std::int64_t")  # as integers
    inputs, name = list(kinds), function_name(rung)
    makers = {kind: "condition" if kind == "std::uint8_t" and len(set(kinds.values())) > 1 else "input" for kind in kinds.values()}
    pieces = [CHECK, *(INPUT[kind].replace("{name}", maker) for kind, maker in makers.items())]
    numbers = {one: "double" if kind in WIDE or kind in ("float", "std::int8_t") else "int" if kind == "std::uint8_t" else kind for one, kind in kinds.items()}
    of = ", ".join(f"{kind} {one}" for one, kind in numbers.items())
    result = "double" if not is_exact else out if out in ("std::int32_t", "std::int64_t") else "int"
    own = re.fullmatch(rf"(\w+)\({', '.join(inputs)}\)", rung.expected)
    reference = own[1] if own else "expected"
    if not own:
        pieces.append(f"{result} expected({of}) {{ return {rung.expected}; }}")
    if out in FORMATS:
        called, most, least, digits = FORMATS[out]
        pieces.append(ULP.format(called=called, most=most, least=least, digits=digits,
                                 infinity=SATURATES if "fp8" in out else INFINITY))
    elif not is_exact:
        pieces.append(ERROR_OF_1)
    pieces += [FILL.format(type=kind) for kind in makers]
    declared = "\n".join(
        f"  std::vector<{kinds[one]}> host_{one}(part);\n"
        f"  for (std::int64_t i = 0; i < part; ++i) host_{one}[i] = {makers[kinds[one]]}({'i' if k == 0 else f'i * {40501 + 2 * k} % kPart'});"
        for k, one in enumerate(inputs))
    device = "\n".join(f"  {kinds[one]}* const device_{one} = on_device(host_{one}, n);" for one in inputs)
    free = "\n".join(f"  CHECK(cudaFree(device_{one}));" for one in [*inputs, y])
    values = "".join(f"    const {numbers[one]} {one} = {WIDE.get(kind, '{}').format(f'host_{one}[(first + i) % part]')};\n"
                     for one, kind in kinds.items())
    right = f"{reference}({', '.join(inputs)})"
    if "where" in rung.of_rung:
        values += f"    if (!({rung.of_rung['where'][0]})) continue;  // {rung.of_rung['where'][1]}\n"
    elements, begin = ("(n + 31) / 32", "first / 32") if is_bits else ("n", "first")
    actual = f"static_cast<int>({y}[i / 32] >> i % 32 & 1)" if is_bits else WIDE.get(out, "{}").format(f"{y}[i]")
    judged = f"if ({actual} != {right}) ++wrong;" if is_exact else f"worst = std::max(worst, error_in_ulp({right}, {actual}));"
    check = f"""  {"std::int64_t wrong = 0" if is_exact else "double worst = 0.0"};
  for (std::int64_t i = 0; i < n - first; ++i) {{
{values}    {judged}
  }}"""
    verdict = "wrong == 0" if is_exact else f"worst <= {rung.bound:g}"
    says = '"%s: %s (%lld wrong), ' if is_exact else '"%s: %s (largest error %.4g ULP), '
    value = "static_cast<long long>(wrong)" if is_exact else "worst"
    sizes = {kind: list(kinds.values()).count(kind) for kind in kinds.values()}
    size = " + ".join(f"n * {count} * sizeof({kind})" if count > 1 else f"n * sizeof({kind})" for kind, count in sizes.items())
    call = ", ".join([*(f"device_{one}" if one in inputs or one == y else "n" for kind, one in rung.parameters
                        if "*" in kind or kind == "std::int64_t"), "nullptr"])
    pieces.append(f"""// Checks the last million results, and times the kernel with n elements: the first argument.
int main(int argc, char** argv) {{
  constexpr std::int64_t kPart = 1 << 20;
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : kPart + 3;
  const std::int64_t part = std::min(n, kPart);
  const std::int64_t first = (n - part) / 32 * 32;
{declared}
{device}
  {out}* device_{y} = nullptr;
  const std::int64_t size = {elements};
  CHECK(cudaMalloc(&device_{y}, size * sizeof({out})));
  CHECK(cudaMemset(device_{y}, 0xff, size * sizeof({out})));

  CHECK({name}({call}));
  std::vector<{out}> {y}({elements} - {begin});
  CHECK(cudaMemcpy({y}.data(), device_{y} + {begin}, {y}.size() * sizeof({out}), cudaMemcpyDeviceToHost));
{check}

{timed(f"{name}({call})")}
{free}
  const double bytes = static_cast<double>({size} + size * sizeof({out}));
  const bool is_right = {verdict};
  std::printf({says}"
              "%.2f us, %.4g GB/s\\n",
              "{name}", is_right ? "right" : "wrong", {value}, us, 1e-3 * bytes / us);
  return is_right ? 0 : 1;
}}""")
    return pieces


def timed(call):
    """Sets `us`, the microseconds of a launch."""
    return f"""  constexpr int kLaunches = 20;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  for (int i = 0; i < kLaunches; ++i) {{
    CHECK({call});
  }}
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float ms = 0.0f;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  const double us = 1e3 * ms / kLaunches;"""


def text_of(folder, name):
    """The file."""
    entry = export_whole.rungs(spec_of(folder)).get(name)
    if entry:
        code, reference, pieces = export_whole.parts(folder, name, entry, timed, CHECK, FILL)
    else:
        code, reference, pieces = parts_of_kernel(Rung(folder, name))
    whole = "\n\n".join([code, "// ---- Does it work, and how fast is it " + "-" * 58, *([reference] if reference else []), *pieces]) + "\n"
    terms = (runs.ROOT / "LICENSE").read_text(encoding="utf-8").strip().splitlines()
    return "\n".join([top_of(folder, name, whole) + whole, *(f"// {line}".rstrip() for line in terms)]) + "\n"


def parts_of_kernel(rung):
    """(the kernel and its launcher, what main() is compared with, main() and what it needs)."""
    pieces = program(rung)
    call = f"{rung.kernel} {' '.join(rung.argument(kind, one) for kind, one in rung.parameters)}"
    roots = [rung.plain.fill(call), rung.expected]
    gathered = gather.Gathering(rung.library, rung.known, roots)
    start = launcher(rung, kernel_of(gathered, rung.overlaps))
    if "threads_for" in start:
        gathered = gather.Gathering(rung.library, rung.known, [*roots, "threads_for"])
    return kernel_of(gathered, rung.overlaps) + "\n\n" + start, gathered.written(reference=True), pieces


def kernel_of(gathered, overlaps):
    """What is gathered; of a kernel that begins when the launch before it has ended, without its waiting for that."""
    text = gathered.written(reference=False)
    for name in () if overlaps else ("wait_for_previous_grid", "let_next_grid_begin"):
        text = re.sub(rf"(?m)^ *{name}\(.*\);\n", "", text)
        text = re.sub(rf"(?m)(^//.*\n)*^__device__ __forceinline__ void {name}\([^)]*\) {{\n(?:.*\n)*?^}}\n*", "", text)
    return text


def top_of(folder, name, whole):
    """What the file is, and its headers."""
    code = re.sub("//.*", "", whole)
    used = [header for header, pattern in HEADERS if re.search(pattern, code)]
    headers, standard = ("".join(f"#include <{one}>\n" for one in used if one.endswith(".h") == own) for own in (True, False))
    stem = file_name(folder, name)
    title = re.search(r"(?m)^# \d+ · ([^:\n]+)", (folder / "README.md").read_text(encoding="utf-8"))[1]
    return f"""// {title}: {name}, a kernel of a tutorial on elementwise CUDA kernels.
// Written by ./tutorial export {runs.ladder_of_chapter(folder)} {name}
//
//     nvcc -arch=native {stem}.cu -o {stem} && ./{stem}

""" + (headers + "\n" if headers else "") + standard + "\n"


def file_name(folder, name):
    return name if name in export_whole.rungs(spec_of(folder)) else function_name(Rung(folder, name))


def add_arguments(parser):
    parser.add_argument("-o", "--output", metavar="FILE", help="the file to write (default: CHAPTER_RUNG.cu here)")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    return parser.add_argument("rung", metavar="RUNG", nargs="?", help="a rung of its ladder, as the lesson names it")


def run(arguments, folder):
    known = names(folder)
    if not arguments.rung:
        for name in known:
            print(name)
        return 0
    if arguments.rung not in known:
        raise runs.ToolError(why_not(folder, arguments.rung) or f"{folder.name} has no rung {arguments.rung} to export: "
                             f"{front.command(f'export {runs.ladder_of_chapter(folder)}')} lists its {len(known)}")
    path = Path(arguments.output or f"{file_name(folder, arguments.rung)}.cu")
    if path.is_dir():
        raise runs.ToolError(f"-o {path} is a folder; name a file inside it")
    if path.exists() and not arguments.force:
        raise runs.ToolError(f"{front.here(path)} is there already: --force writes over it, -o FILE writes another")
    text = text_of(folder, arguments.rung)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise runs.ToolError(f"{path} cannot be written ({error.strerror}); -o names another file") from None
    front.say(f"{front.here(path)}: {front.plural(text.count(chr(10)), 'line')}; nvcc -arch=native {front.here(path)} -o {path.stem} && ./{path.stem}")
    return 0
