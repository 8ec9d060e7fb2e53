// What ./tutorial trace asks for: rungs, each launched once, and their accesses as JSON.

#include "common/bench/shapes.h"
#include "common/bench/stage.h"
#include "common/executor/executor.h"
#include "common/see/said.h"
#include "common/see/see.h"
#include "common/trace/json.h"
#include "common/trace/recorder.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutorial::see {

namespace {

using bench::Case;
using bench::Kind;
using bench::NamedShape;
using bench::Shape;
using trace::Buffer;
using trace::Json;
using trace::Recorder;

struct Options {
  bool list = false, all = false;
  std::vector<std::string> rungs;
  std::string shape_name;
  std::int64_t warp = -1;
};

constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

/// 1: all blocks of a launch run.
std::uint64_t parts = 1;

struct Misuse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text behind the flag, or nullptr if the argument is another one.
const char* value_of(const char* argument, const char* flag) {
  const std::size_t length = std::strlen(flag);
  return std::strncmp(argument, flag, length) == 0 ? argument + length : nullptr;
}

std::int64_t number(const char* text, const std::string& flag, std::int64_t least) {
  char* end = nullptr;
  const std::int64_t value = std::strtoll(text, &end, 10);
  if (end == text || *end != '\0' || value < least) {
    throw Misuse(flag + text + ": write a number from " + std::to_string(least) + " on");
  }
  return value;
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 0; i < count; ++i) {
    const char* const argument = arguments[i];
    if (std::strcmp(argument, "--list") == 0) {
      options.list = true;
    } else if (std::strcmp(argument, "--all") == 0) {
      options.all = true;
    } else if (std::strcmp(argument, "--gpu-sizes") == 0) {
      bench::on_gpu = true;
    } else if (const char* shape = value_of(argument, "--shape=")) {
      options.shape_name = shape;
    } else if (const char* warp = value_of(argument, "--warp=")) {
      options.warp = number(warp, "--warp=", 0);
    } else if (const char* part = value_of(argument, "--part=")) {
      parts = static_cast<std::uint64_t>(number(part, "--part=", 1));
    } else if (argument[0] == '-') {
      throw Misuse(std::string("there is no option ") + argument);
    } else {
      options.rungs.emplace_back(argument);
    }
  }
  return options;
}

bool has_shape(const Case& operation, const std::string& name) {
  const auto& own = operation.own_shapes;
  return std::any_of(own.begin(), own.end(), [&](const NamedShape& s) { return s.name == name; });
}

/// "1024x1024", and not "64x256x56x56".
bool is_matrix(const std::string& name) { return std::count(name.begin(), name.end(), 'x') == 1; }

NamedShape shape_for(const Case& operation, const std::string& wanted) {
  const auto& own = operation.own_shapes;
  for (const NamedShape& candidate : own) {
    if (candidate.name == wanted) return candidate;
  }
  if (!takes_any_shape(operation)) {
    if (wanted.empty()) return own.front();
    std::string names;
    for (const NamedShape& candidate : own) names += (names.empty() ? "" : ", ") + candidate.name;
    throw Misuse(operation.rung + " has no shape " + wanted + "; it has " + names);
  }
  if (wanted.empty()) {
    const Shape shape = own.empty() ? Shape{1024, 1024} : own.front().shape;
    return {name_of(shape), shape};
  }
  std::vector<Shape> parsed;
  try {
    parsed = bench::parse_shapes(wanted);
  } catch (const std::invalid_argument& mistake) {
    std::string why = mistake.what();  // --shapes is the benchmark's flag
    if (const std::size_t at = why.find("--shapes"); at != std::string::npos) why.erase(at + 7, 1);
    throw Misuse(why);
  }
  if (parsed.size() != 1) throw Misuse("--shape takes one shape, as in 1024x1024");
  if (parsed[0].elements() > kMostElements) {
    throw Misuse("--shape=" + wanted + " has more than 2^28 elements, and each is traced on one " +
                 "core; choose a smaller shape");
  }
  return {name_of(parsed[0]), parsed[0]};
}

bool is_called(const Case& operation, const std::string& name) {
  return operation.rung == name || operation.ladder + "/" + operation.rung == name;
}

/// The cases of that name at that shape; a rung may have rows at several shapes of its own.
const Case& find(const std::string& name, const std::string& shape) {
  const Case* found = nullptr;
  for (const Case& operation : bench::cases()) {
    if (!is_called(operation, name)) continue;
    if (has_shape(operation, shape)) return operation;
    if (found == nullptr) found = &operation;
  }
  if (found == nullptr) throw Misuse("there is no rung " + name);
  return *found;
}

std::vector<Buffer> buffers_of(const Case& operation, const Shape& shape,
                               const bench::Buffers& set) {
  std::vector<Buffer> buffers;
  const auto add = [&](const std::string& name, const void* pointer, std::size_t bytes) {
    const std::size_t counted = parts == 1 ? bytes : 0;
    buffers.push_back({name, reinterpret_cast<std::uintptr_t>(pointer), bytes,
                       bench::element_bytes(operation, shape, bytes),
                       std::vector<std::uint8_t>(counted), std::vector<std::uint8_t>(counted)});
  };
  for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
    const std::string name = operation.inputs.size() == 1 ? "x" : std::string(1, "abcdef"[i % 6]);
    add(name, set.inputs[i], operation.inputs[i].bytes(shape));
  }
  add("y", set.output, operation.output_bytes(shape));
  return buffers;
}

std::uint64_t observe(const cpu::Launch& launch, bool begins) {
  return (Recorder::observe(launch, begins) + parts - 1) / parts;
}

/// A kernel that accesses memory that is not there ends the program; its last access is known.
void on_fault(int) {
  const std::string access = Recorder::instance().last_access();
  std::fprintf(stderr, "trace: the kernel ended the program: %s\n",
               access.empty() ? "a segmentation fault outside of it" : access.c_str());
  std::_Exit(1);
}

void write_names(Json& json, const Case& operation) {
  json.text("ladder", operation.ladder);
  json.text("rung", operation.rung);
  json.text("dtype", operation.dtype);
  json.text("kind", bench::name_of(operation.kind));
  if (operation.per_thread > 0) {
    json.number("claims_per_thread", operation.per_thread);
  }
}

/// A rung's names, at which shapes it runs, what it claims.
void write_name(Json& json, const Case& operation) {
  json.begin("", '{');
  write_names(json, operation);
  json.begin("shapes", '[');
  for (const NamedShape& own : operation.own_shapes) json.text("", own.name);
  json.end(']');
  json.end('}');
}

/// A traced rung. `wrong`: what is wrong with its output, or empty.
void write_rung(Json& json, const Case& operation, const NamedShape& shape,
                const std::string& wrong, const Recorder& recorder) {
  json.begin("", '{');
  write_names(json, operation);
  json.text("shape", shape.name);
  json.number("elements", shape.shape.elements());
  if (!wrong.empty()) json.text("wrong", wrong);
  trace::write_buffers(json, recorder);
  json.number("workspace_bytes", recorder.elsewhere());
  trace::write_launches(json, recorder);
  json.end('}');
}

void trace_case(const Case& operation, const Options& options, Json& json) {
  const NamedShape shape = shape_for(operation, options.shape_name);
  auto& stage = bench::Stage::instance();
  stage.prepare(operation, shape.shape, bench::Regime::warm);
  Recorder& recorder = Recorder::instance();
  recorder.start(buffers_of(operation, shape.shape, stage.sets()[0]), options.warp);
  const cudaError_t error = operation.launch(stage.sets()[0], shape.shape, stage.stream());
  recorder.stop();
  if (error != cudaSuccess) {
    const std::string report = cpu::last_report();
    throw std::runtime_error(operation.rung + " at " + shape.name + " answers " +
                             cudaGetErrorName(error) + (report.empty() ? "" : ": " + report));
  }
  std::string wrong;
  try {
    if (parts == 1) stage.verify(operation, shape.shape);
  } catch (const std::exception& complaint) {
    wrong = complaint.what();
  }
  write_rung(json, operation, shape, wrong, recorder);
}

int run(const Options& options) {
  bench::register_benchmarks();
  Json json;
  json.begin("rungs", '[');
  if (options.list) {
    for (const Case& operation : bench::cases()) write_name(json, operation);
  }
  if (options.all) {
    for (const Case& operation : bench::cases()) {
      const bool is_ours = operation.kind == Kind::rung || operation.kind == Kind::yours;
      if (!is_ours) continue;
      Options its = options;
      const bool has = has_shape(operation, options.shape_name);
      // With a GPU's shapes those that have the one that is asked for; without, each in its own.
      if (!has && !takes_any_shape(operation)) its.shape_name.clear();
      if (!has && bench::on_gpu && (its.shape_name.empty() || !is_matrix(its.shape_name))) {
        continue;
      }
      trace_case(operation, its, json);
    }
  }
  for (const std::string& name : options.rungs) {
    trace_case(find(name, options.shape_name), options, json);
  }
  json.end(']');
  std::fprintf(said(), "%s\n", json.text().c_str());
  std::fflush(said());
  return 0;
}

}  // namespace

int trace(int count, char** arguments) {
  try {
    Recorder::watch(observe);
    std::signal(SIGSEGV, on_fault);
    std::signal(SIGBUS, on_fault);
    return run(parse(count, arguments));
  } catch (const Misuse& mistake) {
    std::fprintf(stderr, "trace: %s\n", mistake.what());
    return 2;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "trace: %s\n", failure.what());
    return 1;
  }
}

}  // namespace tutorial::see
