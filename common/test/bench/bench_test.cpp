// Tests of the benchmark support: a benchmark that times a wrong kernel is worse than none.

#include "common/bench/measure.h"
#include "common/bench/shapes.h"
#include "common/bench/stage.h"
#include "common/bench/statistics.h"
#include "common/bench/yardsticks.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"

#include <set>
#include <stdexcept>
#include <string>

using namespace tutorial::bench;
using tutorial::test::GuardedBuffer;
using tutorial::test::require_device;

namespace {

using Bytes = std::vector<unsigned char>;

Bytes counting_bytes(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(i % 251);
  return bytes;
}

constexpr Shape kShape{33, 1001};

/// A copy of floats, with `spoil` done to the output after each launch.
template <class Spoil>
Case spoiled_copy(Spoil spoil) {
  Case operation = copy_case(sizeof(float), normal_tile<float>());
  const auto launch = operation.launch;
  operation.launch = [launch, spoil](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    const cudaError_t error = launch(set, shape, stream);
    return error != cudaSuccess ? error : spoil(static_cast<float*>(set.output), stream);
  };
  return operation;
}

std::string complaint(const Case& operation) {
  try {
    measure(operation, kShape, Regime::warm, 1);
  } catch (const std::runtime_error& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace

TEST_CASE("shapes are read from the command line", "[bench]") {
  const std::vector<Shape> shapes = parse_shapes("1024x4096,1x7");
  REQUIRE(shapes.size() == 2);
  CHECK(name_of(shapes[0]) == "1024x4096");
  CHECK(name_of(shapes[1]) == "1x7");
  CHECK(shapes[0].elements() == 1024 * 4096);
  for (const char* wrong : {"", "x", "1024", "0x5", "-1x5", "12x12x12", "12X12", "12x12;4x4",
                            " 1x1", "1x1234567890", "999999999x999999999"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_shapes(wrong), std::invalid_argument);
  }
}

TEST_CASE("amounts of memory have three or four digits and a unit", "[bench]") {
  CHECK(amount(0) == "0 bytes");
  CHECK(amount(999) == "999 bytes");
  CHECK(amount(1000) == "1.0 kB");
  CHECK(amount(141'990'000'000) == "142.0 GB");
  CHECK(amount(999'970'000) == "1.0 GB");
  CHECK(amount(~std::size_t{0}) == "18.4 EB");
}

TEST_CASE("buffers that do not fit into the memory are refused before they are made", "[bench]") {
  require_device();
  const Case copy = copy_case(sizeof(float), normal_tile<float>());
  CHECK(free_bytes() > 0);
  const Shape shape{1, static_cast<std::int64_t>(free_bytes() / 4)};  // eight bytes an element
  std::string sentence;
  try {
    Stage::instance().prepare(copy, shape, Regime::warm);
  } catch (const std::runtime_error& failure) {
    sentence = failure.what();
  }
  CAPTURE(sentence);
  CHECK(sentence.find("its buffers need ") == 0);
  CHECK(sentence.find(" are free; choose smaller --shapes") != std::string::npos);
  CHECK(measure(copy, kShape, Regime::warm, 1).size() == 1);
}

TEST_CASE("quantiles lie between the samples", "[bench]") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
  CHECK(median({7}) == 7);
  CHECK(quantile({10, 0}, 0.75) == 7.5);
  CHECK(spread_percent({100, 100, 100}) == 0);
  CHECK(spread_percent({8, 8, 10, 12, 12}) == 40);
}

TEST_CASE("copy_128bit copies every byte and no other", "[bench]") {
  require_device();
  const std::size_t bytes = GENERATE(1u, 15u, 16u, 17u, 2047u, 2048u, 2049u, 100003u);
  const GuardedBuffer<unsigned char> from(counting_bytes(bytes)), to(bytes);
  REQUIRE(copy_128bit(from.data(), to.data(), bytes, nullptr) == cudaSuccess);
  CHECK(to.download() == counting_bytes(bytes));
  CHECK(to.intact());
}

TEST_CASE("copy_128bit refuses what it cannot copy", "[bench]") {
  require_device();
  const GuardedBuffer<unsigned char> from(64), to(64);
  CHECK(copy_128bit(nullptr, nullptr, 0, nullptr) == cudaSuccess);
  CHECK(copy_128bit(nullptr, to.data(), 1, nullptr) == cudaErrorInvalidValue);
  CHECK(copy_128bit(from.data(), nullptr, 1, nullptr) == cudaErrorInvalidValue);
  CHECK(copy_128bit(from.data() + 8, to.data(), 16, nullptr) == cudaErrorMisalignedAddress);
  CHECK(copy_128bit(from.data(), to.data() + 4, 16, nullptr) == cudaErrorMisalignedAddress);
  CHECK(to.untouched());
}

TEST_CASE("a right operation is timed", "[bench]") {
  require_device();
  const Case copy = copy_case(sizeof(float), normal_tile<float>());
  const std::vector<double> seconds = measure(copy, kShape, Regime::warm, 3);
  REQUIRE(seconds.size() == 3);
  CHECK(bytes_moved(copy, kShape) == 2 * 33 * 1001 * sizeof(float));
}

TEST_CASE("an operation with a wrong output is not timed", "[bench]") {
  require_device();
  const auto n = static_cast<std::size_t>(kShape.elements());
  const std::size_t at = GENERATE_COPY(std::size_t{0}, n / 2, n - 1);
  const Case operation = spoiled_copy([at](float* y, cudaStream_t stream) {
    return cudaMemsetAsync(y + at, 0xFF, sizeof(float), stream);
  });
  CHECK(complaint(operation).find("wrong output: ") == 0);
}

TEST_CASE("a reader's rung that drops the tail is not timed where there is none", "[bench]") {
  require_device();
  Case operation = copy_case(sizeof(float), normal_tile<float>());
  operation.launch = [](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    const std::int64_t tail =
        shape.elements() % 4 == 3 ? 3 : 0;  // 1,027 has one of these, kShape none
    const auto whole = static_cast<std::size_t>(shape.elements() - tail);
    return cudaMemcpyAsync(set.output, set.inputs[0], whole * sizeof(float),
                           cudaMemcpyDeviceToDevice, stream);
  };
  CHECK(complaint(operation).empty());
  operation.kind = Kind::yours;
  CHECK(complaint(operation).find("(of 1,027 elements)") != std::string::npos);
}

TEST_CASE("an operation that writes nothing is not timed", "[bench]") {
  require_device();
  Case operation = copy_case(sizeof(float), normal_tile<float>());
  measure(operation, kShape, Regime::warm, 1);  // leaves a right output in the shared memory
  operation.launch = [](const Buffers&, const Shape&, cudaStream_t) { return cudaSuccess; };
  CHECK(complaint(operation).find("wrong output: ") == 0);
}

TEST_CASE("an operation that fails to launch is not timed", "[bench]") {
  require_device();
  const Case operation =
      spoiled_copy([](float*, cudaStream_t) { return cudaErrorInvalidConfiguration; });
  CHECK(complaint(operation).find("cudaErrorInvalidConfiguration") != std::string::npos);
}

TEST_CASE("cold rows take turns on sets of buffers that exceed the L2", "[bench]") {
  require_device();
  const Case copy = copy_case(sizeof(float), normal_tile<float>());
  Stage& stage = Stage::instance();
  constexpr Shape shape{64, 64};
  stage.prepare(copy, shape, Regime::cold);
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  const auto l2 = static_cast<std::size_t>(properties.l2CacheSize);
  CHECK(stage.sets().size() >= 2);
  CHECK(stage.sets().size() * bytes_moved(copy, shape) >= 4 * l2);

  std::set<const void*> pointers;
  for (const Buffers& set : stage.sets()) pointers.insert({set.inputs.at(0), set.output});
  CHECK(pointers.size() == 2 * stage.sets().size());
  for (const void* pointer : pointers) CHECK(reinterpret_cast<std::uintptr_t>(pointer) % 256 == 0);
}

TEST_CASE("every set of buffers has the tile as its input and NaN as its output", "[bench]") {
  require_device();
  const auto tile = std::make_shared<const Bytes>(counting_bytes(1237));
  const Case copy = copy_case(1, tile);
  Stage& stage = Stage::instance();
  stage.prepare(copy, {3, 1000}, Regime::cold);
  Bytes expected;
  for (std::size_t i = 0; i < 3000; ++i) expected.push_back((*tile)[i % tile->size()]);
  const Buffers& last = stage.sets().back();
  Bytes input(3000), output(3000);
  REQUIRE(cudaMemcpy(input.data(), last.inputs[0], 3000, cudaMemcpyDeviceToHost) == cudaSuccess);
  REQUIRE(cudaMemcpy(output.data(), last.output, 3000, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(input == expected);
  CHECK(output == Bytes(3000, 0xFF));
}

TEST_CASE("the copy's rate is measured once per size, regime and number of inputs", "[bench]") {
  require_device();
  const double one = copy_gbps(3 << 19, 1, Regime::warm), two = copy_gbps(3 << 19, 2, Regime::warm);
  CHECK(copy_gbps(3 << 19, 1, Regime::warm) == one);
  CHECK(copy_gbps(3 << 19, 2, Regime::warm) == two);
}

TEST_CASE("the yardstick of two inputs reads two arrays and writes one", "[bench]") {
  require_device();
  Case copy = copy2_case(sizeof(float), normal_tile<float>(), reversed_tile<float>());
  CHECK(measure(copy, kShape, Regime::warm, 3).size() == 3);
  CHECK(bytes_moved(copy, kShape) == 3 * 33 * 1001 * sizeof(float));
  const auto right = copy.launch;
  copy.launch = [right](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return right({{set.inputs[0], set.inputs[0]}, set.output}, shape, stream);  // a ^ a
  };
  CHECK(complaint(copy).find("wrong output: byte ") == 0);
}
