// What a call launches, as names and shapes; the table that a chapter keeps of it.

#include "common/proof/launches.h"

#include "common/proof/catch.h"
#include "common/proof/device.h"

#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#if defined(TUTORIAL_BACKEND_CPU)
#include "common/executor/executor.h"
#endif

namespace tutorial::test {

namespace {

// ---- The launches of a call ---------------------------------------------------------------------

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

/// Where the parameters of a demangled function begin: the last parenthesis outside of < and >.
std::size_t parameters_of(const std::string& name) {
  std::size_t begin = name.size();
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0 && i > 0 && name.compare(i, 11, "(anonymous ") != 0) begin = i;
  }
  return begin;
}

/// "void tutorial::pack_kernel<__half, tutorial::Elu>(__half const*, ...)" as "pack_kernel<half, Elu>".
std::string plain_name(const char* symbol) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : symbol;
  std::free(demangled);
  name.erase(parameters_of(name));
  if (name.compare(0, 5, "void ") == 0) name.erase(0, 5);
  for (const char* space :
       {"(anonymous namespace)::", "tutorial::", "primitives::", "quantize::", "test::"}) {
    replace_all(name, space, "");
  }
  replace_all(name, "__nv_bfloat16", "bf16");
  replace_all(name, "__half", "half");
  replace_all(name, "__nv_fp8_", "");
  replace_all(name, " >", ">");
  return std::regex_replace(name, std::regex("\\([A-Za-z]+\\)(\\d)"), "$1");  // (ArithmeticOp)0
}

/// A template over a type without a name outside of its source has none either: "?".
SeenLaunch seen(const void* kernel, dim3 grid, dim3 block) {
  const char* symbol = nullptr;
  const bool known = cudaFuncGetName(&symbol, kernel) == cudaSuccess;
  if (!known) cudaGetLastError();
  return {known ? plain_name(symbol) : "?", grid, block};
}

#if defined(TUTORIAL_BACKEND_CPU)

std::vector<SeenLaunch> seen_launches;

std::uint64_t see_and_run_no_block(const cpu::Launch& launch, bool begins) {
  if (begins) seen_launches.push_back(seen(launch.kernel, launch.grid, launch.block));
  return 0;
}

}  // namespace

std::vector<SeenLaunch> launches_of(const std::function<cudaError_t(cudaStream_t)>& call) {
  seen_launches.clear();
  cpu::set_launch_observer(see_and_run_no_block);
  const cudaError_t error = call(nullptr);
  cpu::set_launch_observer(nullptr);
  require_success(error, "the call");
  return seen_launches;
}

namespace {

#else

/// The launches that a graph holds. A captured stream makes a chain of them.
std::vector<SeenLaunch> launches_in(cudaGraph_t graph) {
  std::size_t count = 0;
  require_success(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) {
    require_success(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
  }
  std::vector<SeenLaunch> launches;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    require_success(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    if (type != cudaGraphNodeTypeKernel) continue;
    cudaKernelNodeParams params{};
    require_success(cudaGraphKernelNodeGetParams(node, &params), "cudaGraphKernelNodeGetParams");
    launches.push_back(seen(params.func, params.gridDim, params.blockDim));
  }
  return launches;
}

}  // namespace

std::vector<SeenLaunch> launches_of(const std::function<cudaError_t(cudaStream_t)>& call) {
  const Stream stream;
  require_success(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed),
                  "cudaStreamBeginCapture");
  const cudaError_t error = call(stream.get());
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream.get(), &graph);
  require_success(error, "the call");
  require_success(ended, "cudaStreamEndCapture");
  std::vector<SeenLaunch> launches = launches_in(graph);
  cudaGraphDestroy(graph);
  return launches;
}

namespace {

#endif

// ---- The table ----------------------------------------------------------------------------------

std::int64_t product(dim3 shape) { return std::int64_t{shape.x} * shape.y * shape.z; }

std::string text_of(dim3 shape) {
  std::string text = LaunchTable::number(shape.x);
  if (shape.y > 1 || shape.z > 1) text += "*" + LaunchTable::number(shape.y);
  if (shape.z > 1) text += "*" + LaunchTable::number(shape.z);
  return text;
}

/// "1,465 x 128 elementwise_pack_kernel<half, Elu>", several joined by a plus.
std::string text_of(const std::vector<SeenLaunch>& launches) {
  std::string text;
  for (const SeenLaunch& launch : launches) {
    if (!text.empty()) text += "  +  ";
    text += text_of(launch.grid) + " x " + text_of(launch.block) + "  " + launch.kernel;
  }
  return text.empty() ? "nothing" : text;
}

/// "16" where all are alike, else "16 16 2".
std::string text_of(const std::vector<std::size_t>& alignments) {
  const bool alike = std::all_of(alignments.begin(), alignments.end(),
                                 [&](std::size_t a) { return a == alignments.front(); });
  std::string text;
  for (const std::size_t alignment : alignments) {
    if (!text.empty()) text += " ";
    text += std::to_string(alignment);
    if (alike) break;
  }
  return text;
}

/// All to 16, 8, ... bytes; then one of them to its element.
std::vector<std::vector<std::size_t>> alignments_for(const std::vector<std::size_t>& elements) {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t bytes = 16; bytes > 0; bytes /= 2) {
    std::vector<std::size_t> each = elements;
    for (std::size_t& alignment : each) alignment = std::max(alignment, bytes);
    if (all.empty() || each != all.back()) all.push_back(each);
  }
  for (std::size_t i = 0; i < elements.size() && elements.size() > 1; ++i) {
    std::vector<std::size_t> each(elements.size(), 16);
    each[i] = elements[i];
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
  return all;
}

constexpr const char* kHeader =
    "# Which kernel each function launches, in how many blocks x threads, on an H200. `aligned`: "
    "the\n"
    "# bytes to which all its arrays are aligned, or each of them, outputs last. A test compares "
    "this\n"
    "# file with the functions; with TUTORIAL_WRITE_LAUNCHES=1 it writes the file anew.\n#\n";

template <class Rows>
std::vector<std::string> lines_of(const Rows& rows) {
  std::array<std::size_t, 4> widths{};
  const auto measure = [&](const auto& row) {
    for (std::size_t i = 0; i < 3; ++i) widths[i] = std::max(widths[i], row[i].size());
  };
  const std::array<std::string, 4> head = {"# function", "size", "aligned", "launches"};
  measure(head);
  for (const auto& row : rows) measure(row);
  std::vector<std::string> lines;
  const auto write = [&](const auto& row) {
    std::string line;
    for (std::size_t i = 0; i < 3; ++i) {
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    lines.push_back(line + row[3]);
  };
  write(head);
  for (const auto& row : rows) write(row);
  return lines;
}

/// Compared without the spaces that make columns of it.
std::string squeezed(const std::string& line) {
  std::istringstream words(line);
  std::string text;
  for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> rows_in(std::istream& file) {
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') rows.push_back(squeezed(line));
  }
  return rows;
}

/// Those of `a` that `b` lacks, each behind the mark.
std::string missing(const std::vector<std::string>& a, const std::vector<std::string>& b,
                    const char* mark) {
  std::string text;
  for (const std::string& row : a) {
    if (std::find(b.begin(), b.end(), row) == b.end()) text += mark + row + "\n";
  }
  return text;
}

#if defined(TUTORIAL_BACKEND_CUDA)
int attribute(cudaDeviceAttr which) {
  int value = 0;
  require_success(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
  return value;
}
#endif

}  // namespace

LaunchTable::LaunchTable() {
#if defined(TUTORIAL_BACKEND_CPU)
  cpu::set_device(cpu::kH200);
#else
  require_device();
  if (attribute(cudaDevAttrMultiProcessorCount) != 132 ||
      attribute(cudaDevAttrMaxThreadsPerMultiProcessor) != 2048) {
    SKIP("the table of launches is that of an H200 and an H100: 132 multiprocessors");
  }
#endif
}

LaunchTable::~LaunchTable() {
#if defined(TUTORIAL_BACKEND_CPU)
  cpu::set_device({});
#endif
}

std::string LaunchTable::number(std::int64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

void LaunchTable::add(const std::string& function, const std::string& size,
                      const std::vector<std::size_t>& element_bytes, const Call& call) {
  const std::size_t first = rows_.size();
  for (const auto& alignments : alignments_for(element_bytes)) {
    const Addresses at(alignments);
    INFO(function << " at " << size << ", aligned to " << text_of(alignments));
    const std::string launches =
        text_of(launches_of([&](cudaStream_t stream) { return call(at, stream); }));
    const auto same = std::find_if(rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.end(),
                                   [&](const Row& row) { return row[3] == launches; });
    if (same != rows_.end()) {
      (*same)[2] += ", " + text_of(alignments);
    } else {
      rows_.push_back({function, size, text_of(alignments), launches});
    }
  }
  if (rows_.size() == first + 1) rows_.back()[2] = "any";
  if (rows_.size() == first + 2) rows_.back()[2] = "else";
}

void LaunchTable::add_rung(const std::string& name, std::int64_t n, int width,
                           const std::vector<std::size_t>& alignments, const Call& call) {
  const Addresses at(alignments);
  INFO(name << " at " << n);
  const auto launches = launches_of([&](cudaStream_t stream) { return call(at, stream); });
  REQUIRE(launches.size() == 1);
  const std::int64_t items = product(launches[0].block) * width;
  CHECK(product(launches[0].grid) == (n + items - 1) / items);
  rows_.push_back({name, number(n), text_of(alignments), text_of(launches)});
}

void LaunchTable::check(const std::string& file) const {
  const char* const root =
      std::getenv("TUTORIAL_ROOT");  // of a clone that reuses another's objects
  const std::string path = std::string(root != nullptr ? root : TUTORIAL_ROOT) + "/" + file;
  const char* const wanted = std::getenv("TUTORIAL_WRITE_LAUNCHES");
  if (wanted != nullptr && *wanted == '1') {
    std::ofstream out(path);
    out << kHeader;
    for (const std::string& line : lines_of(rows_)) out << line << "\n";
    REQUIRE(out.flush());
    return;
  }
  std::ifstream in(path);
  INFO("cannot read " << path);
  REQUIRE(in);
  const std::vector<std::string> recorded = rows_in(in);
  std::ostringstream text;
  for (const std::string& line : lines_of(rows_)) text << line << "\n";
  std::istringstream lines(text.str());
  const std::vector<std::string> now = rows_in(lines);
  if (recorded == now) return;
  FAIL_CHECK(file << " (-) is not what the functions launch (+):\n"
                  << missing(recorded, now, "- ") << missing(now, recorded, "+ "));
}

}  // namespace tutorial::test
