#include "common/bench/measure.h"

#include "common/bench/peers.h"
#include "common/bench/replay.h"
#include "common/bench/stage.h"
#include "common/bench/statistics.h"

#include <algorithm>
#include <cstring>
#include <map>

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

}  // namespace

std::vector<double> measure(const Case& operation, const Shape& shape, Regime regime,
                            std::size_t replays) {
  Stage& stage = Stage::instance();
  stage.prepare(operation, shape, regime);
  stage.verify(operation, shape);
  const auto launch = [&](std::size_t set, cudaStream_t stream) {
    return operation.launch(stage.sets()[set], shape, stream);
  };
  return seconds_per_launch(launch, stage.sets().size(), stage.stream(), replays);
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

double copy_gbps(std::size_t bytes, Regime regime) {
  static std::map<std::pair<std::size_t, Regime>, double> known;
  const auto entry = known.find({bytes, regime});
  if (entry != known.end()) return entry->second;
  const Shape shape{1, static_cast<std::int64_t>(bytes / 2)};
  const double seconds = median(measure(copy_case(1, normal_tile<float>()), shape, regime));
  return known[{bytes, regime}] = static_cast<double>(bytes) / seconds * 1e-9;
}

}  // namespace tutorial::bench
