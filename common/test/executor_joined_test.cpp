// What g++ makes of an access is what nvcc makes of it, once it is joined.

#include "common/proof/catch.h"
#include "common/trace/joined.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using namespace tutorial::trace;

/// Places 0 and 1 are in one line and far from each other; 2 directly follows 1 there; 3 is in another line, 4 and 5
/// copy a pair. Two buffers.
const Meaning kMeaning{{{1000, 0, 7, false},
                        {2000, 1, 7, false},
                        {2008, 1, 7, false},
                        {3000, 2, 8, false},
                        {4000, 3, 9, true},
                        {4100, 3, 9, true}},
                       {{"x", 4096, 1024, 2, {}, {}}, {"y", 8192, 1024, 2, {}, {}}}};
constexpr std::uintptr_t kX = 4096, kY = 8192, kShared = 64;

Access load(std::uint32_t place, std::uintptr_t address, std::uint16_t bytes = 2) {
  return {address, place, bytes, Operation::load, Space::global};
}
Access store(std::uint32_t place, std::uintptr_t address, std::uint16_t bytes = 2) {
  return {address, place, bytes, Operation::store, Space::global};
}

bool becomes(std::vector<Access> accesses, const std::vector<Access>& wanted) {
  join(accesses, kMeaning);
  const auto is_same = [](const Access& a, const Access& b) {
    return a.address == b.address && a.place == b.place && a.bytes == b.bytes &&
           a.operation == b.operation;
  };
  return std::equal(accesses.begin(), accesses.end(), wanted.begin(), wanted.end(), is_same);
}
bool stays(const std::vector<Access>& accesses) { return becomes(accesses, accesses); }

Request request(std::uint32_t place, std::uintptr_t address, std::uint32_t active) {
  Request made;
  made.place = place;
  made.bytes = 2;
  made.operation = Operation::store;
  made.active = active;
  made.address.fill(address);
  return made;
}

/// Whether a request that lane 0 makes and one that lane 2 makes become one, each lane with its own address.
bool are_joined(const Request& early, const Request& late) {
  std::vector<Request> requests{early, late};
  LaneRequests lanes;
  lanes[0] = {0};
  lanes[2] = {1};
  join(requests, lanes, kMeaning);
  const bool are_two =
      requests[0].active == early.active && requests[1].active == late.active && lanes[2][0] == 1;
  const bool is_one = requests[0].active == (early.active | late.active) &&
                      requests[1].active == 0 && lanes[2][0] == 0 &&
                      requests[0].address[0] == early.address[0] &&
                      requests[0].address[2] == late.address[2];
  CHECK(is_one != are_two);
  return is_one;
}

}  // namespace

TEST_CASE("joined: the halves of a half2 are one access") {
  CHECK(becomes({load(4, kX), load(5, kX + 2)}, {load(4, kX, 4)}));
  CHECK(becomes({store(4, kX), store(5, kX + 2)}, {store(4, kX, 4)}));
  CHECK(stays({load(4, kX + 2), load(5, kX + 4)}));  // no half2 lies there
  CHECK(stays({load(4, kX), load(5, kX + 4)}));      // not the other half
  CHECK(stays({load(4, kX), load(4, kX + 2)}));      // a loop
  CHECK(stays({load(4, kX), store(5, kX + 2)}));
  CHECK(stays({load(3, kX), load(4, kX + 2)}));  // the first is no part of a copy
  CHECK(stays({load(4, kX), load(3, kX + 2)}));  // nor the second
  CHECK(stays({load(4, kX, 4), load(5, kX + 2, 2)}));
  CHECK(stays({load(4, kX, 2), load(5, kX + 2, 4)}));
}

TEST_CASE("joined: a value that one line names twice in a row is loaded once") {
  CHECK(becomes({load(0, kX), load(1, kX)}, {load(0, kX)}));
  CHECK(stays({load(0, kX), load(0, kX)}));  // a loop
  CHECK(stays({load(0, kX), load(3, kX)}));  // another line
  CHECK(stays({load(0, kX), load(1, kX + 2)}));
  CHECK(stays({load(0, kX), load(1, kX, 4)}));
  CHECK(stays({store(0, kX), store(1, kX)}));
  CHECK(stays({load(0, kX), store(1, kX)}));
  CHECK(stays({store(0, kShared), load(1, kShared)}));
}

TEST_CASE("joined: a copy's load comes before its store") {
  // At the same place of two buffers, however far the calls are from each other.
  CHECK(becomes({store(0, kY + 6), load(1, kX + 6)}, {load(1, kX + 6), store(0, kY + 6)}));
  // To another place, where the calls follow each other.
  CHECK(becomes({store(1, kShared), load(2, kX)}, {load(2, kX), store(1, kShared)}));
  CHECK(becomes({load(0, kX), store(1, kShared), load(2, kX)}, {load(0, kX), store(1, kShared)}));
  CHECK(stays({store(0, kY + 6), load(1, kX + 8)}));  // too far
  CHECK(stays({store(1, kY, 4), load(2, kX, 2)}));
  CHECK(stays({store(0, kY), load(3, kX)}));  // another line
  CHECK(becomes({load(3, kY), store(1, kShared), load(2, kX)},
                {load(3, kY), load(2, kX), store(1, kShared)}));
  CHECK(
      stays({load(0, kY), store(1, kShared), load(2, kX)}));  // it stores what it has loaded before
  CHECK(becomes({load(0, kY), store(0, kShared), store(1, kShared), load(2, kX)},
                {load(0, kY), store(0, kShared), load(2, kX), store(1, kShared)}));
}

TEST_CASE("joined: the branches of a line are one request") {
  const Request early = request(0, kX, 3);
  CHECK(are_joined(early, request(1, kX + 8, 12)));
  CHECK_FALSE(are_joined(early, request(1, kX, 13)));  // lane 0 makes both
  CHECK_FALSE(are_joined(early, request(0, kX, 12)));  // two rounds of a loop
  CHECK_FALSE(are_joined(early, request(3, kX, 12)));  // another line
  CHECK_FALSE(are_joined(early, request(1, kY, 12)));  // another buffer
  Request late = request(1, kX, 12);
  late.bytes = 4;
  CHECK_FALSE(are_joined(early, late));
  late = request(1, kX, 12);
  late.operation = Operation::load;
  CHECK_FALSE(are_joined(early, late));
  late = request(1, kX, 12);
  late.space = Space::shared;
  CHECK_FALSE(are_joined(early, late));
}

TEST_CASE("joined: what has become part of a request takes no other one") {
  std::vector<Request> requests{request(0, kX, 3), request(1, kX, 12), request(2, kX, 1)};
  LaneRequests lanes;
  join(requests, lanes, kMeaning);
  CHECK(requests[0].active == 15);
  CHECK(requests[2].active == 1);
}
