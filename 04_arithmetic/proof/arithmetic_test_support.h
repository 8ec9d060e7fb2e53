// What the test files of this chapter share: launchers over vectors, and the promises of a launcher
// for types that the common test support does not know.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "04_arithmetic/arithmetic_rungs.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"

namespace tutorial::test {

/// A launcher of one operation, T: any type that can be copied as bytes.
template <class T>
using PairLauncher = std::function<cudaError_t(const T*, const T*, T*, std::int64_t, cudaStream_t)>;

/// Uploads, launches on the default stream, waits, and returns the outputs. The buffers begin
/// `offset` elements past a 256-byte boundary.
template <class T>
std::vector<T> run_pairs(const PairLauncher<T>& launch, const std::vector<T>& a,
                         const std::vector<T>& b, std::size_t offset = 0) {
  const GuardedBuffer<T> device_a(a, offset), device_b(b, offset), y(a.size(), offset);
  require_success(launch(device_a.data(), device_b.data(), y.data(),
                         static_cast<std::int64_t>(a.size()), nullptr),
                  "launch");
  require_success(cudaDeviceSynchronize(), "kernel");
  if (!y.intact()) throw std::runtime_error("written outside the output: " + y.damage());
  return y.download();
}

/// One operation of a rung.
template <class T>
PairLauncher<T> operation_of(const ArithmeticRung<T>& rung, ArithmeticOp op) {
  return [op, launch = rung.launch](const T* a, const T* b, T* y, std::int64_t n,
                                    cudaStream_t stream) { return launch(op, a, b, y, n, stream); };
}

inline PairLauncher<std::int8_t> operation_of(const Int8Rung& rung, ArithmeticOp op,
                                              Int8Scales scales) {
  return [=, launch = rung.launch](const std::int8_t* a, const std::int8_t* b, std::int8_t* y,
                                   std::int64_t n, cudaStream_t stream) {
    return launch(op, a, b, y, n, scales, stream);
  };
}

/// Every pair of an a and a b, the a's fastest.
template <class T>
std::pair<std::vector<T>, std::vector<T>> all_pairs(const std::vector<T>& a,
                                                    const std::vector<T>& b) {
  std::pair<std::vector<T>, std::vector<T>> pairs;
  for (const T& right : b) {
    pairs.first.insert(pairs.first.end(), a.begin(), a.end());
    pairs.second.insert(pairs.second.end(), a.size(), right);
  }
  return pairs;
}

template <class T>
struct IntegerRung {
  std::string name;
  PairLauncher<T> launch;
  int width;
  std::size_t alignment;
  std::function<T(T, T)> reference;
};

/// The integer counterpart of check_launcher_promises() (common/proof/binary.h).
template <class T>
class IntegerPromises {
 public:
  explicit IntegerPromises(const IntegerRung<T>& rung) : rung_(rung) {}

  void check() const {
    INFO(rung_.name);
    for (const std::int64_t n : n_ladder(rung_.width)) check_outputs(static_cast<std::size_t>(n));
    check_offsets();
    check_refusals();
    check_in_place();
    check_stream();
  }

 private:
  /// Values over the whole range, the ends and zero among them, without a period of 2^k.
  static std::vector<T> values(std::size_t n, std::uint64_t state) {
    const T special[] = {0, -1, 1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    std::vector<T> result(n);
    for (T& value : result) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = state >> 60 == 0 ? special[(state >> 40) % 5] : static_cast<T>(state >> 8);
    }
    return result;
  }

  std::size_t wrong(const std::vector<T>& a, const std::vector<T>& b,
                    const std::vector<T>& y) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < y.size(); ++i) count += y[i] != rung_.reference(a[i], b[i]);
    return count;
  }

  void check_outputs(std::size_t n) const {
    INFO("n = " << n);
    const std::vector<T> a = values(n, 1), b = values(n, 2);
    CHECK(wrong(a, b, run_pairs<T>(rung_.launch, a, b)) == 0);
  }

  /// Each pointer in turn one to `alignment` bytes past its alignment.
  void check_offsets() const {
    constexpr std::size_t n = 1027;
    const std::vector<T> a = values(n, 3), b = values(n, 4);
    for (std::size_t offset = 1; offset * sizeof(T) < 16; ++offset) {
      for (int which = 0; which < 3; ++which) {
        INFO("pointer " << which << " moved by " << offset << " elements");
        const GuardedBuffer<T> da(a, which == 0 ? offset : 0), db(b, which == 1 ? offset : 0);
        const GuardedBuffer<T> y(n, which == 2 ? offset : 0);
        const cudaError_t error = rung_.launch(da.data(), db.data(), y.data(), n, nullptr);
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(y.intact());
        if (offset * sizeof(T) % rung_.alignment == 0) {
          CHECK(error == cudaSuccess);
          CHECK(wrong(a, b, y.download()) == 0);
        } else {
          CHECK(error == cudaErrorMisalignedAddress);
          CHECK(y.untouched());
        }
      }
    }
  }

  void check_refusals() const {
    const GuardedBuffer<T> x(std::vector<T>(64, T(1))), y(64);
    CHECK(rung_.launch(nullptr, nullptr, nullptr, 0, nullptr) == cudaSuccess);
    CHECK(rung_.launch(x.data(), x.data(), y.data(), -1, nullptr) == cudaErrorInvalidValue);
    CHECK(rung_.launch(nullptr, x.data(), y.data(), 64, nullptr) == cudaErrorInvalidValue);
    CHECK(rung_.launch(x.data(), nullptr, y.data(), 64, nullptr) == cudaErrorInvalidValue);
    CHECK(rung_.launch(x.data(), x.data(), nullptr, 64, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(y.untouched());
  }

  void check_in_place() const {
    constexpr std::size_t n = 1027;
    const std::vector<T> a = values(n, 5), b = values(n, 6);
    for (const bool on_first : {true, false}) {
      INFO("in place of operand " << (on_first ? 0 : 1));
      const GuardedBuffer<T> da(a), db(b);
      const GuardedBuffer<T>& y = on_first ? da : db;
      REQUIRE(rung_.launch(da.data(), db.data(), y.data(), n, nullptr) == cudaSuccess);
      REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
      CHECK(wrong(a, b, y.download()) == 0);
      CHECK(y.intact());
    }
  }

  void check_stream() const {
    constexpr std::size_t n = 1027;
    const std::vector<T> a = values(n, 7), b = values(n, 8);
    const GuardedBuffer<T> da(a), db(b), y(n);
    const Stream stream;
    REQUIRE(rung_.launch(da.data(), db.data(), y.data(), n, stream.get()) == cudaSuccess);
    stream.synchronize();
    CHECK(wrong(a, b, y.download()) == 0);
  }

  IntegerRung<T> rung_;
};

template <class T>
void check_integer_promises(const IntegerRung<T>& rung) {
  IntegerPromises<T>(rung).check();
}

}  // namespace tutorial::test
