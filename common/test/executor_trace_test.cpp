// What the tracer says that a warp's access costs.

#include "common/proof/catch.h"
#include "common/trace/cost.h"

#include <cstdint>
#include <functional>
#include <utility>

namespace {

using namespace tutorial::trace;

/// Lane l accesses `bytes` bytes at address(l); lanes of `active` alone.
Cost cost(Space space, std::uint16_t bytes, const std::function<std::uintptr_t(unsigned)>& address,
          std::uint32_t active = ~0U) {
  Request request;
  request.space = space;
  request.bytes = bytes;
  request.active = active;
  for (unsigned lane = 0; lane < kLanes; ++lane) request.address[lane] = 4096 + address(lane);
  return cost_of(request);
}

auto stride(std::uintptr_t bytes) {
  return [bytes](unsigned lane) { return lane * bytes; };
}

}  // namespace

TEST_CASE("trace: sectors of a request for global memory") {
  CHECK(cost(Space::global, 2, stride(2)).sectors == 2);
  CHECK(cost(Space::global, 4, stride(4)).sectors == 4);
  CHECK(cost(Space::global, 16, stride(16)).sectors == 16);
  CHECK(cost(Space::global, 4, stride(16)).sectors == 16);
  CHECK(cost(Space::global, 4, stride(0)).sectors == 1);
  CHECK(cost(Space::global, 4, stride(1024)).sectors == 32);
  // Off by half a sector, a row of 128 bytes takes a fifth one.
  CHECK(cost(Space::global, 4, [](unsigned lane) { return 16 + lane * 4; }).sectors == 5);
  CHECK(cost(Space::global, 4, stride(4), 0x1).sectors == 1);
}

TEST_CASE("trace: bytes asked for count once") {
  CHECK(cost(Space::global, 4, stride(4)).used == 128);
  CHECK(cost(Space::global, 4, stride(0)).used == 4);
  CHECK(cost(Space::global, 4, stride(2)).used == 66);
  CHECK(cost(Space::global, 4, stride(4), 0xF).used == 16);
  CHECK(cost(Space::global, 4, stride(4), 0xF).lanes == 4);
}

TEST_CASE("trace: a block's sectors, and the pieces of 64 bytes that memory reads for them") {
  const auto read = [](unsigned count, std::uintptr_t first, std::uintptr_t step, unsigned bytes) {
    Footprint footprint;
    for (unsigned i = 0; i < count; ++i) {
      footprint.add(Operation::load, 4096 + first + i * step, bytes);
    }
    return std::pair{footprint.loaded(), footprint.pieces()};
  };
  CHECK(read(32, 0, 4, 4) == std::pair<std::uint64_t, std::uint64_t>{4, 2});
  CHECK(read(32, 0, 64, 4) == std::pair<std::uint64_t, std::uint64_t>{32, 32});  // one of every two
  CHECK(read(32, 32, 128, 32) == std::pair<std::uint64_t, std::uint64_t>{32, 32});
  CHECK(read(32, 0, 128, 64) ==
        std::pair<std::uint64_t, std::uint64_t>{64, 32});  // one half of a line
  CHECK(read(2, 32, 32, 32) == std::pair<std::uint64_t, std::uint64_t>{2, 2});  // of two pieces
  CHECK(read(1, 60, 1, 8) == std::pair<std::uint64_t, std::uint64_t>{2, 2});    // across the border
  Footprint both;
  both.add(Operation::store, 4096, 16);
  both.add(Operation::load, 4096, 16);
  both.add(Operation::load, 4112, 16);
  CHECK(both.stored() == 1);
  CHECK(both.loaded() == 1);
  CHECK(both.pieces() == 1);
}

TEST_CASE("trace: bank conflicts") {
  CHECK(cost(Space::shared, 4, stride(4)).passes == 1);
  CHECK(cost(Space::shared, 4, stride(0)).passes == 1);  // one word for all
  CHECK(cost(Space::shared, 2, stride(2)).passes == 1);  // two lanes share a word
  CHECK(cost(Space::shared, 4, stride(8)).passes == 2);
  CHECK(cost(Space::shared, 2, stride(16)).passes == 4);
  CHECK(cost(Space::shared, 4, stride(128)).passes == 32);  // a column of 32 floats
  CHECK(cost(Space::shared, 4, stride(132)).passes == 1);   // a column of 33
  CHECK(cost(Space::shared, 4, stride(128), 0xFF).passes == 8);
  // Wide accesses take turns, which is no conflict.
  CHECK(cost(Space::shared, 8, stride(8)).passes == 2);
  CHECK(cost(Space::shared, 8, stride(8)).phases == 2);
  CHECK(cost(Space::shared, 16, stride(16)).passes == 4);
  CHECK(cost(Space::shared, 16, stride(16)).phases == 4);
  CHECK(cost(Space::shared, 16, stride(16)).worst == 1);
  CHECK(cost(Space::shared, 16, stride(32)).passes == 8);
  CHECK(cost(Space::shared, 16, stride(32)).worst == 2);
}
