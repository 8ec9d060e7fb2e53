"""./tutorial export of a rung whose launcher does more than count blocks: the launcher comes whole, with all that it
reaches, and a main() that checks and times it. proof/export.json of a chapter has under "whole" which source has the
launcher, how it is called, and which of the programs below belongs to it.
"""

import itertools
import re

import gather
import runs

# What a matrix's operation is compared with, row by row or column by column: `at(i)` is element i of x, `result(i)`
# of y, in double. All numbers are multiples of 1/32 between -4 and 4: their sums are exact in float.
EACH_ROW = """  for (std::int64_t r = 0; r < rows; r += step_of(rows)) {{
    std::vector<double> row(columns);
    for (std::int64_t c = 0; c < columns; ++c) row[c] = at(r * columns + c);
{check}
  }}"""
CHECKS = {
    "softmax": EACH_ROW.format(check="""    const std::vector<double> right = softmax_reference(row);
    const double max = *std::max_element(row.begin(), row.end());
    for (std::int64_t c = 0; c < columns; ++c) {
      const double bound = softmax_bound(row[c], max, right[c], static_cast<double>(columns)) +
                           {rounding} * std::max(right[c], 0x1p-14);
      if (!(std::fabs(result(r * columns + c) - right[c]) <= bound)) ++wrong;
    }"""),
    "cumsum": EACH_ROW.format(check="""    double sum = 0.0;
    for (std::int64_t c = 0; c < columns; ++c) {
      sum += row[c];
      if (result(r * columns + c) != rounded(sum)) ++wrong;
    }"""),
    "sort": EACH_ROW.format(check="""    std::sort(row.begin(), row.end());
    for (std::int64_t c = 0; c < columns; ++c) {
      if (result(r * columns + c) != row[c]) ++wrong;
    }"""),
    "sort_with_index": EACH_ROW.format(check="""    std::vector<std::int32_t> from(columns);
    for (std::int64_t c = 0; c < columns; ++c) from[c] = static_cast<std::int32_t>(c);
    std::stable_sort(from.begin(), from.end(), [&](int i, int k) { return row[i] < row[k]; });
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t i = r * columns + c;
      if (host_index[i] != from[c] || result(i) != row[from[c]]) ++wrong;
    }"""),
    "bias": EACH_ROW.format(check="""    for (std::int64_t c = 0; c < columns; ++c) {
      if (result(r * columns + c) != rounded(row[c] + at(c))) ++wrong;
    }"""),
    "sum_inner": EACH_ROW.format(check="""    double sum = 0.0;
    for (const double v : row) sum += v;
    if (result(r) != rounded(sum)) ++wrong;"""),
    "sum_outer": """  for (std::int64_t c = 0; c < columns; c += step_of(columns)) {
    double sum = 0.0;
    for (std::int64_t r = 0; r < rows; ++r) sum += at(r * columns + c);
    if (result(c) != rounded(sum)) ++wrong;
  }""",
}
RESULTS = {"sum_inner": "rows", "sum_outer": "columns"}

NUMBER = """// Multiples of 1/32 between -4 and 4, in no order.
{type} number(std::int64_t i) {{
  const auto bits = static_cast<std::int8_t>(static_cast<std::uint32_t>(i) * 2654435761u >> 24);
  return {of_float};
}}"""
MERGED = """  Broadcast broadcast;
  CHECK(make_broadcast(shape_a, shape_b, &broadcast));
"""
AS_IT_IS = """  const Broadcast broadcast = broadcast_strides(shape_a, shape_b);
"""
INT8 = """// Any int8, in no order.
std::int8_t number(std::int64_t i) {
  return static_cast<std::int8_t>(static_cast<std::uint32_t>(i) * 2654435761u >> 24);
}"""
OF_FLOAT = {"half": "__float2half({})", "float": "{}"}
TO_DOUBLE = {"half": "static_cast<double>(__half2float({}))"}

STEP = """// Of so many rows 64 are compared.
std::int64_t step_of(std::int64_t rows) { return std::max<std::int64_t>(rows / 64, 1); }"""
ROUNDED = """double rounded(double v) {{ return {rounded}; }}"""

MATRIX = """// Compares with the right results, and times the kernel with a matrix of rows x columns: the arguments.
int main(int argc, char** argv) {{
  const std::int64_t rows = argc > 1 ? std::atoll(argv[1]) : 64;
  const std::int64_t columns = argc > 2 ? std::atoll(argv[2]) : {columns};
  const std::int64_t n = rows * columns, results = {results};
  std::vector<{T}> part(std::min<std::int64_t>(n, 1 << 20));
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = number(static_cast<std::int64_t>(i));
  {T}* const x = on_device(part, n);
  {T}* y = nullptr;
  CHECK(cudaMalloc(&y, results * sizeof({T})));
  CHECK(cudaMemset(y, 0xff, results * sizeof({T})));
{more}
  CHECK({call});
  std::vector<{T}> host(results);
  CHECK(cudaMemcpy(host.data(), y, results * sizeof({T}), cudaMemcpyDeviceToHost));
{fetch}  const auto at = [&](std::int64_t i) {{ return {at}; }};
  const auto result = [&](std::int64_t i) {{ return {result}; }};
  std::int64_t wrong = 0;
{check}

{timed}
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
{free}  const double bytes = static_cast<double>((n + results) * sizeof({T}){bytes});
  std::printf("{name}: %s (%lld wrong), %.2f us, %.4g GB/s\\n", wrong == 0 ? "right" : "wrong",
              static_cast<long long>(wrong), us, 1e-3 * bytes / us);
  return wrong == 0 ? 0 : 1;
}}"""

WORKSPACE = """  const std::size_t size = {size};
  void* workspace = nullptr;
  if (size > 0) CHECK(cudaMalloc(&workspace, size));
"""
INDEX = """  std::int32_t* index = nullptr;
  CHECK(cudaMalloc(&index, n * sizeof(std::int32_t)));
"""
FETCH_INDEX = """  std::vector<std::int32_t> host_index(n);
  CHECK(cudaMemcpy(host_index.data(), index, n * sizeof(std::int32_t), cudaMemcpyDeviceToHost));
"""
BIAS = """  const {T}* const bias = x;  // its first row
"""

PLACE = """// Where an operand of a shape has what belongs to element i of the result.
std::int64_t place_of(std::int64_t i, const TensorShape& result, const TensorShape& operand) {
  std::int64_t place = 0, step = 1;
  for (std::size_t d = 1; d <= operand.size(); ++d) {
    const std::int64_t size = operand[operand.size() - d], along = i % result[result.size() - d];
    if (size > 1) place += along * step;
    step *= size;
    i /= result[result.size() - d];
  }
  return place;
}"""

TENSORS = """// Compares with the right results, and times the kernel. The argument: n of the shapes.
int main(int argc, char** argv) {{
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : {n};
  const TensorShape shape_a = {{{a}}}, shape_b = {{{b}}};
  TensorShape shape;
  CHECK(broadcast_shape(shape_a, shape_b, &shape));
  std::vector<{T}> part(1 << 20);
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = number(static_cast<std::int64_t>(i));
  const std::int64_t elements = elements_of(shape);
  {T}* const a = on_device(part, elements_of(shape_a));
  {T}* const b = on_device(part, elements_of(shape_b));
  {Out}* y = nullptr;
  CHECK(cudaMalloc(&y, elements * sizeof({Out})));
  CHECK(cudaMemset(y, 0xff, elements * sizeof({Out})));
{broadcast}
  CHECK({call});
  std::vector<{Out}> host(elements);
  CHECK(cudaMemcpy(host.data(), y, elements * sizeof({Out}), cudaMemcpyDeviceToHost));
  const auto at = [&](std::int64_t i) {{ return {at}; }};
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < elements; i += elements / (1 << 20) + 1) {{
    const double left = at(place_of(i, shape, shape_a)), right = at(place_of(i, shape, shape_b));
    if (!({is_right})) ++wrong;
  }}

{timed}
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(y));
  const std::int64_t operands = elements_of(shape_a) + elements_of(shape_b);
  const double bytes = static_cast<double>(operands * sizeof({T}) + elements * sizeof({Out}));
  std::printf("{name}: %s (%lld wrong), %.2f us, %.4g GB/s\\n", wrong == 0 ? "right" : "wrong",
              static_cast<long long>(wrong), us, 1e-3 * bytes / us);
  return wrong == 0 ? 0 : 1;
}}"""


def rungs(spec):
    """{name: its entry, with what its name chooses}."""
    found = {}
    for entry in ({**spec.get("each", {}), **one} for one in spec.get("whole", [])):
        for kind, shape in itertools.product(entry["types"].split(), entry.get("shapes", "-").split()):
            name = entry["name"].replace("{type}", kind).replace("{shape}", shape)
            found[name] = {**entry, "shape": shape, **spec["types"][kind]}
    return found


def filled(text, entry):
    for key in ("T", "Op"):
        text = text.replace(f"{{{key}}}", entry.get(key, ""))
    return text


def launcher(name, entry):
    text = "\n".join([f"cudaError_t {name}(const Broadcast& broadcast, const {{T}}* a, const {{T}}* b, {{T}}* y,",
                      " " * (13 + len(name)) + "cudaStream_t stream) {", *entry["launcher"], "}"])
    return filled(text, entry)


def parts(folder, name, entry, timed, check, fill):
    """(the launcher and what it reaches, what main() is compared with, main() and what it needs)."""
    library = gather.Library(*(folder / one if (folder / one).exists() else runs.ROOT / one for one in entry["sources"]),
                             *sorted((folder / "proof").glob("*_reference.h")))
    without_views(library)
    begin = launcher(name, entry) if "launcher" in entry else ""
    call = filled(entry["call"], entry).replace("{name}", name)
    of = entry["T"]
    at = TO_DOUBLE.get(of, "static_cast<double>({})").format("part[i % part.size()]")
    pieces = [check, INT8 if of == "std::int8_t" else NUMBER.format(
        type=of, of_float=OF_FLOAT[of].format("static_cast<float>(bits) / 32.0f")), fill.format(type=of)]
    names = {"T": of, "name": name, "call": call, "timed": timed(call), "at": at}
    if entry["program"] == "tensors":
        a, b = entry["of_shapes"][entry["shape"]]
        pieces += [PLACE, TENSORS.format(**names, Out=entry.get("Out", of), a=a, b=b, n=entry["n"].get(entry["shape"], 1),
                                         is_right=filled(entry["is_right"], entry),
                                         broadcast=MERGED if entry["merged"] else AS_IT_IS)]
    else:
        pieces += matrix(entry, names)
    roots = [begin, *([] if begin else [call]), *pieces]
    gathered = gather.Gathering(library, {}, roots)
    code = as_program(gathered.written(reference=False))
    return code + ("\n\n" + begin if begin else ""), gathered.written(reference=True), pieces


def without_views(library):
    """None of these programs has a tensor with gaps."""
    library.order = [piece for piece in library.order
                     if not re.search(r"\bTensor(View|Layout)\b", " ".join(gather.arguments_of(piece.text, piece.name)))]
    library.pieces = gather.by_name(library.order)


def matrix(entry, names):
    of, what = names["T"], entry["program"]
    result = TO_DOUBLE.get(of, "static_cast<double>({})").format("host[i]")
    float_of = "static_cast<float>(v)"
    rounded = f"__half2float(__float2half({float_of}))" if of == "half" else float_of
    more, free, bytes_, fetch = "", "", "", ""
    if "workspace" in entry:
        more, free = WORKSPACE.format(size=filled(entry["workspace"], entry)), "  CHECK(cudaFree(workspace));\n"
    if what == "sort_with_index":
        more, fetch, free, bytes_ = INDEX, FETCH_INDEX, "  CHECK(cudaFree(index));\n", " + n * sizeof(std::int32_t)"
    if what == "bias":
        more = BIAS.format(T=of)
    check = CHECKS[what].replace("{rounding}", "0x1p-11" if of == "half" else "0.0")
    main = MATRIX.format(**names, columns=entry["columns"], results=RESULTS.get(what, "n"), more=more, fetch=fetch, check=check,
                         free=free, bytes=bytes_, result=result)
    return [STEP, *([ROUNDED.format(rounded=rounded)] if "rounded(" in check else []), main]


def as_program(code):
    """launch() with the kernel's type, which the executor has to see."""
    code = re.sub(r"  void\* addresses\[\] = .*\n", "", code)
    return code.replace("cudaLaunchKernelExC(&config, symbol, addresses)", "cudaLaunchKernelEx(&config, kernel, arguments...)")
