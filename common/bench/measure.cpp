// One row: its buffers, its yardstick, its time.

#include "common/bench/measure.h"

#include "common/bench/replay.h"
#include "common/bench/stage.h"
#include "common/bench/statistics.h"
#include "common/bench/yardsticks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

namespace tutorial::bench {

namespace {

using Tile = std::shared_ptr<const std::vector<unsigned char>>;

/// Compares `count` bytes of a copy, the first of which is the copy's byte `begin`, with the tile.
std::string complaint_about_copy(const std::vector<unsigned char>& tile, const void* bytes,
                                 std::size_t begin, std::size_t count) {
  const auto* copied = static_cast<const unsigned char*>(bytes);
  for (std::size_t done = 0; done < count;) {
    const std::size_t at = (begin + done) % tile.size();
    const std::size_t run = std::min(tile.size() - at, count - done);
    if (std::memcmp(copied + done, tile.data() + at, run) != 0) {
      return "the copy differs within bytes " + std::to_string(begin + done) + " to " +
             std::to_string(begin + done + run);
    }
    done += run;
  }
  return "";
}

bool is_one(const char* variable) {
  const char* const wanted = std::getenv(variable);
  return wanted != nullptr && std::strcmp(wanted, "1") == 0;
}

/// TUTORIAL_PROFILE=1: the program runs under a profiler, which needs a few launches and no timing.
bool profiled() {
  static const bool wanted = is_one("TUTORIAL_PROFILE");
  return wanted;
}

/// TUTORIAL_CLOCK_INSIDE=1: the clock is read while a row's launches run, too, if they are long.
bool clock_inside() {
  static const bool wanted = is_one("TUTORIAL_CLOCK_INSIDE");
  return wanted;
}

/// TUTORIAL_AFTER_SECONDS=10: a row is timed after ten seconds of its own launches, when a GPU has lowered
/// the clock that it will lower.
double busy_seconds() {
  static const char* const wanted = std::getenv("TUTORIAL_AFTER_SECONDS");
  return wanted != nullptr ? std::atof(wanted) : 0.0;
}

/// Launches that a profiler can choose from.
void show(const LaunchOnSet& launch, cudaStream_t stream) {
  constexpr int kShown = 3;
  for (int k = 0; k < kShown; ++k) {
    test::require_success(launch(0, stream), "launch");
  }
  test::require_success(cudaStreamSynchronize(stream), "kernel");
}

/// The reader's rung may be right at the sizes that are timed, and drop the tail of any other.
void verify_tail(const Case& operation, Regime regime) {
  constexpr Shape kWithTail{1, 1027};
  Stage& stage = Stage::instance();
  stage.prepare(operation, kWithTail, regime);
  try {
    stage.verify(operation, kWithTail);
  } catch (const std::runtime_error& failure) {
    throw std::runtime_error(std::string(failure.what()) + " (of 1,027 elements)");
  }
}

}  // namespace

std::vector<double> timed_or_shown(const LaunchOnSet& launch, std::size_t sets, cudaStream_t stream,
                                   std::size_t replays) {
  if (!profiled()) return seconds_per_launch(launch, sets, stream, replays);
  show(launch, stream);
  return std::vector<double>(replays, 1.0);
}

std::vector<double> measure(const Case& operation, const Shape& shape, Regime regime,
                            std::size_t replays, ClocksSeen* clocks, bool verified) {
  Stage& stage = Stage::instance();
  if (operation.kind == Kind::yours && !verified && !profiled()) verify_tail(operation, regime);
  stage.prepare(operation, shape, regime);
  const auto launch = [&](std::size_t set, cudaStream_t stream) {
    return operation.launch(stage.sets()[set], shape, stream);
  };
  if (!verified && !profiled()) stage.verify(operation, shape);
  if (clocks == nullptr || profiled()) {
    return timed_or_shown(launch, stage.sets().size(), stage.stream(), replays);
  }
  if (busy_seconds() > 0) {
    keep_busy(launch, stage.sets().size(), stage.stream(), busy_seconds());
  }
  ClockWatch watch;
  std::vector<double> seconds =
      seconds_per_launch(launch, stage.sets().size(), stage.stream(), replays);
  const double probe_mhz = probe_sm_mhz(stage.stream());
  *clocks = watch.seen();
  clocks->probe_mhz = probe_mhz;
  constexpr double kLong = 100e-6;
  if (clock_inside() && median(seconds) > kLong) {
    clocks->inside_mhz =
        inside_sm_mhz(launch, stage.sets().size(), median(seconds), stage.stream());
  }
  return seconds;
}

Case copy_case(std::size_t element_bytes, Tile tile) {
  const auto bytes = [element_bytes](const Shape& shape) {
    return static_cast<std::size_t>(shape.elements()) * element_bytes;
  };
  Case operation{};
  operation.kind = Kind::copy;
  operation.inputs = {{tile, bytes}};
  operation.output_bytes = bytes;
  operation.launch = [bytes](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return copy_128bit(set.inputs[0], set.output, bytes(shape), stream);
  };
  operation.verify = [tile](const Shape&, const void* copied, std::size_t begin,
                            std::size_t count) {
    return complaint_about_copy(*tile, copied, begin, count);
  };
  return operation;
}

Case copy2_case(std::size_t element_bytes, Tile a, Tile b) {
  Case operation = copy_case(element_bytes, a);
  const auto bytes = operation.output_bytes;
  operation.inputs.push_back({b, bytes});
  operation.launch = [bytes](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return xor_128bit(set.inputs[0], set.inputs[1], set.output, bytes(shape), stream);
  };
  operation.verify = [a, b](const Shape&, const void* written, std::size_t begin,
                            std::size_t count) {
    const auto* outputs = static_cast<const unsigned char*>(written);
    for (std::size_t i = 0, at = begin % a->size(); i < count; ++i) {
      if (outputs[i] != ((*a)[at] ^ (*b)[at])) {
        return "byte " + std::to_string(begin + i) + " is not that of a ^ b";
      }
      if (++at == a->size()) at = 0;
    }
    return std::string();
  };
  return operation;
}

double copy_gbps(std::size_t bytes, std::size_t inputs, Regime regime) {
  static std::map<std::tuple<std::size_t, bool, Regime>, double> known;
  const bool two = inputs >= 2;
  const auto entry = known.find({bytes, two, regime});
  if (entry != known.end()) return entry->second;
  const Case copy = two ? copy2_case(1, normal_tile<float>(), reversed_tile<float>())
                        : copy_case(1, normal_tile<float>());
  const Shape shape{1, static_cast<std::int64_t>(bytes / (two ? 3 : 2))};
  const Regime other = regime == Regime::cold ? Regime::warm : Regime::cold;
  const bool verified = known.count({bytes, two, other}) > 0;
  const double seconds = median(measure(copy, shape, regime, kReplays, nullptr, verified));
  const double gbps = static_cast<double>(bytes_moved(copy, shape)) / seconds * 1e-9;
  return known[{bytes, two, regime}] = gbps;
}

}  // namespace tutorial::bench
