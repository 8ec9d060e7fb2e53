// What every launcher with one or two inputs and one answer for each element promises, tried: the
// counterpart of common/proof/binary.h for outputs that are narrower than their inputs.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "05_logical_relation/logical_relation_rungs.h"
#include "05_logical_relation/proof/logical_relation_reference.h"
#include "common/proof/support.h"

namespace tutorial::test {

/// The answers of one operation on two lists of operands, as a rung's output holds them.
inline std::vector<Byte> expected_answers(LogicalOp op, const std::vector<Byte>& a,
                                          const std::vector<Byte>& b, Answers answers) {
  std::vector<Byte> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = logical_reference(op, a[i], b[i]);
  return answers == Answers::bits ? packed_bits(result) : result;
}
template <class T>
std::vector<Byte> expected_answers(RelationOp op, const std::vector<T>& a, const std::vector<T>& b,
                                   Answers answers) {
  std::vector<Byte> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = relation_reference(op, a[i], b[i]);
  return answers == Answers::bits ? packed_bits(result) : result;
}

/// Bytes that n answers take.
inline std::size_t answer_bytes(Answers answers, std::size_t n) {
  return answers == Answers::bits ? (n + 31) / 32 * 4 : n;
}

/// Runs a rung on lists of operands. Throws std::runtime_error if the launch fails, or if the
/// kernel wrote outside its output.
template <class Operation, class In>
std::vector<Byte> run_answers(const AnswerRung<Operation, In>& rung, Operation op,
                              const std::vector<In>& a, const std::vector<In>& b) {
  const GuardedBuffer<In> left(a), right(b);
  const GuardedBuffer<Byte> y(answer_bytes(rung.answers, a.size()));
  require_success(rung.launch(op, left.data(), right.data(), y.data(),
                              static_cast<std::int64_t>(a.size()), nullptr),
                  rung.name.c_str());
  require_success(cudaDeviceSynchronize(), rung.name.c_str());
  if (!y.intact()) throw std::runtime_error(rung.name + ": the output was " + y.damage());
  return y.download();
}

/// Operands in which equal and unequal pairs, zeros, NaN and infinities are all frequent, in a
/// period that fits no power of two.
template <class In>
class Operands {
 public:
  Operands(const std::vector<In>& values, std::size_t step) : values_(values), step_(step) {}

  std::vector<In> first(std::int64_t n) const {
    std::vector<In> result(static_cast<std::size_t>(n));
    std::uint64_t state = step_;
    for (In& value : result) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = values_[static_cast<std::size_t>(state >> 33) % values_.size()];
    }
    return result;
  }

 private:
  std::vector<In> values_;
  std::size_t step_;
};

/// Tries one rung with one operation; each member function below is one promise.
template <class Operation, class In>
class AnswerTrial {
 public:
  AnswerTrial(const AnswerRung<Operation, In>& rung, Operation op, const std::vector<In>& values)
      : rung_(rung),
        op_(op),
        a_(Operands<In>(values, 1).first(kMost)),
        b_(Operands<In>(values, 2).first(kMost)) {}

  std::vector<std::string> run() {
    try {
      every_size();
      every_offset();
      if (rung_.answers == Answers::bytes && sizeof(In) == sizeof(Byte)) in_place();
      refuses_bad_arguments();
      other_stream();
      // What breaks a promise above may also read past its input, and a sanitizer would end the
      // process there; so this comes last, and only for a rung that has kept the others.
      if (violations_.empty()) no_read_past_the_end();
    } catch (const std::runtime_error& failure) {  // a kernel that crashed takes the device with it
      violations_.push_back(failure.what());
    }
    return violations_;
  }

 private:
  static constexpr std::int64_t kMost = (std::int64_t{1} << 20) + 1024;
  static constexpr std::int64_t kSome = 1027;  // no multiple of anything that a thread takes

  void every_size() {
    for (const std::int64_t n : n_ladder(rung_.width)) {
      const GuardedBuffer<In> a(head(a_, n)), b(head(b_, n));
      const GuardedBuffer<Byte> y(bytes(n));
      const std::string trial = "n = " + std::to_string(n);
      launch(trial, a.data(), b.data(), y.data(), n);
      check_outputs(trial, y, n);
      check_input(trial, a, a_);
      check_input(trial, b, b_);
    }
  }

  /// Each pointer at every offset, with the others where they should be, and all at the same.
  void every_offset() {
    for (std::size_t by = 1; by < 16; ++by) {
      if (by * sizeof(In) < 16) {
        offset(by, 0, 0);
        if (rung_.operands == 2) offset(0, by, 0);
        offset(by, by, by);
      }
      offset(0, 0, by);
    }
  }

  void offset(std::size_t of_a, std::size_t of_b, std::size_t of_y) {
    const GuardedBuffer<In> a(head(a_, kSome), of_a), b(head(b_, kSome), of_b);
    const GuardedBuffer<Byte> y(bytes(kSome), of_y);
    const std::string trial = "a, b and y " + std::to_string(of_a) + ", " + std::to_string(of_b) +
                              " and " + std::to_string(of_y) + " elements off alignment";
    const bool aligned = of_a * sizeof(In) % rung_.in_alignment == 0 &&
                         of_b * sizeof(In) % rung_.in_alignment == 0 &&
                         of_y % rung_.out_alignment == 0;
    if (aligned) {
      launch(trial, a.data(), b.data(), y.data(), kSome);
      check_outputs(trial, y, kSome);
    } else {
      refuses(trial, cudaErrorMisalignedAddress, a.data(), b.data(), y.data(), kSome);
      check_untouched(trial, y);
    }
  }

  /// y == a, y == b, and both inputs the same.
  void in_place() {
    if constexpr (sizeof(In) == sizeof(Byte)) {
      for (const std::int64_t n : n_ladder(rung_.width)) {
        const std::string trial = "in place, n = " + std::to_string(n);
        const GuardedBuffer<In> a(head(a_, n)), b(head(b_, n)), spare(head(b_, n));
        auto* const over_a = reinterpret_cast<Byte*>(a.data());
        launch(trial, a.data(), b.data(), over_a, n);
        check_bytes(trial, a, n);
        if (rung_.operands == 1) continue;
        const GuardedBuffer<In> again(head(a_, n));
        launch(trial, again.data(), spare.data(), reinterpret_cast<Byte*>(spare.data()), n);
        check_bytes(trial, spare, n);
      }
    }
  }

  void refuses_bad_arguments() {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const GuardedBuffer<In> a(head(a_, kSome)), b(head(b_, kSome));
    const GuardedBuffer<Byte> y(bytes(kSome));
    launch("n = 0 with null pointers", nullptr, nullptr, nullptr, 0);
    for (const std::int64_t n : {std::int64_t{-1}, least}) {
      refuses("negative n", cudaErrorInvalidValue, a.data(), b.data(), y.data(), n);
      refuses("negative n, null", cudaErrorInvalidValue, nullptr, nullptr, nullptr, n);
    }
    refuses("null a", cudaErrorInvalidValue, nullptr, b.data(), y.data(), kSome);
    if (rung_.operands == 2) {
      refuses("null b", cudaErrorInvalidValue, a.data(), nullptr, y.data(), kSome);
    }
    refuses("null y", cudaErrorInvalidValue, a.data(), b.data(), nullptr, kSome);
    check_untouched("null pointers and negative n", y);
  }

  void other_stream() {
    const Stream stream;
    const GuardedBuffer<In> a(head(a_, kSome)), b(head(b_, kSome));
    const GuardedBuffer<Byte> y(bytes(kSome));
    const std::string trial = "on a stream of its own";
    expect(trial, cudaSuccess,
           rung_.launch(op_, a.data(), b.data(), y.data(), kSome, stream.get()));
    stream.synchronize();
    check_outputs(trial, y, kSome);
    if constexpr (on_gpu) captured(a, b, y, stream);
  }

  /// Work that goes to a capturing stream becomes a node of its graph, and waiting for the device
  /// is an error meanwhile: so a capture shows whether the launcher uses the stream and only
  /// enqueues.
  void captured([[maybe_unused]] const GuardedBuffer<In>& a,
                [[maybe_unused]] const GuardedBuffer<In>& b,
                [[maybe_unused]] const GuardedBuffer<Byte>& y,
                [[maybe_unused]] const Stream& stream) {
#if defined(TUTORIAL_BACKEND_CUDA)
    const std::string trial = "on a capturing stream";
    require_success(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
                    "cudaStreamBeginCapture");
    expect(trial, cudaSuccess,
           rung_.launch(op_, a.data(), b.data(), y.data(), kSome, stream.get()));
    cudaGraph_t graph = nullptr;
    expect(trial + " (does the launcher synchronise?)", cudaSuccess,
           cudaStreamEndCapture(stream.get(), &graph));
    std::size_t nodes = 0;
    if (graph != nullptr) {
      require_success(cudaGraphGetNodes(graph, nullptr, &nodes), "cudaGraphGetNodes");
      cudaGraphDestroy(graph);
    }
    if (nodes == 0) violate(trial, "the launch did not go to the stream");
    static_cast<void>(cudaGetLastError());  // a capture that failed leaves its error behind
#endif
  }

  /// Inputs and output end where their allocations end; a sanitizer watches.
  void no_read_past_the_end() {
    for (const std::int64_t n : n_ladder(rung_.width)) {
      const std::size_t in_bytes = static_cast<std::size_t>(n) * sizeof(In);
      const DeviceBytes a(in_bytes), b(in_bytes), y(bytes(n));
      require_success(cudaMemcpy(a.data(), a_.data(), in_bytes, cudaMemcpyHostToDevice),
                      "cudaMemcpy");
      require_success(cudaMemcpy(b.data(), b_.data(), in_bytes, cudaMemcpyHostToDevice),
                      "cudaMemcpy");
      launch("exact allocations, n = " + std::to_string(n), reinterpret_cast<const In*>(a.data()),
             reinterpret_cast<const In*>(b.data()), y.data(), n);
    }
  }

  void launch(const std::string& trial, const In* a, const In* b, Byte* y, std::int64_t n) {
    expect(trial, cudaSuccess, rung_.launch(op_, a, b, y, n, nullptr));
    require_success(cudaDeviceSynchronize(), trial.c_str());
  }

  void refuses(const std::string& trial, cudaError_t expected, const In* a, const In* b, Byte* y,
               std::int64_t n) {
    expect(trial, expected, rung_.launch(op_, a, b, y, n, nullptr));
    require_success(cudaDeviceSynchronize(), trial.c_str());
  }

  void expect(const std::string& trial, cudaError_t expected, cudaError_t actual) {
    if (actual == expected) return;
    violate(trial, std::string("the launcher answers ") + cudaGetErrorName(actual) + ", expected " +
                       cudaGetErrorName(expected));
  }

  void check_outputs(const std::string& trial, const GuardedBuffer<Byte>& y, std::int64_t n) {
    compare(trial, y.download(), n);
    if (!y.intact()) violate(trial, "the output was " + y.damage());
  }

  void check_bytes(const std::string& trial, const GuardedBuffer<In>& y, std::int64_t n) {
    const std::vector<In> values = y.download();
    std::vector<Byte> outputs(values.size());
    if (!values.empty()) std::memcpy(outputs.data(), values.data(), values.size());
    compare(trial, outputs, n);
    if (!y.intact()) violate(trial, "the output was " + y.damage());
  }

  void compare(const std::string& trial, const std::vector<Byte>& outputs, std::int64_t n) {
    const std::vector<Byte> expected =
        expected_answers(op_, head(a_, n), head(b_, n), rung_.answers);
    const auto wrong = std::mismatch(expected.begin(), expected.end(), outputs.begin());
    if (wrong.first == expected.end()) return;
    violate(trial, "byte " + std::to_string(wrong.first - expected.begin()) + " is " +
                       std::to_string(*wrong.second) + ", expected " +
                       std::to_string(*wrong.first));
  }

  void check_input(const std::string& trial, const GuardedBuffer<In>& x,
                   const std::vector<In>& is) {
    const std::vector<In> now = x.download();
    if (!x.intact()) violate(trial, "an input was " + x.damage());
    if (!now.empty() && std::memcmp(now.data(), is.data(), now.size() * sizeof(In)) != 0) {
      violate(trial, "an input was written to");
    }
  }

  void check_untouched(const std::string& trial, const GuardedBuffer<Byte>& y) {
    if (!y.untouched() || !y.intact()) violate(trial, "the output was written to all the same");
  }

  void violate(const std::string& trial, const std::string& what) {
    violations_.push_back(trial + ": " + what);
  }

  static std::vector<In> head(const std::vector<In>& values, std::int64_t n) {
    return {values.begin(), values.begin() + n};
  }
  std::size_t bytes(std::int64_t n) const {
    return answer_bytes(rung_.answers, static_cast<std::size_t>(n));
  }

  const AnswerRung<Operation, In>& rung_;
  Operation op_;
  std::vector<In> a_, b_;
  std::vector<std::string> violations_;
};

/// Every promise that the launcher breaks, a sentence each; empty for a good one. `values` is what
/// operands are drawn from.
template <class Operation, class In>
std::vector<std::string> answer_violations(const AnswerRung<Operation, In>& rung, Operation op,
                                           const std::vector<In>& values) {
  return AnswerTrial<Operation, In>(rung, op, values).run();
}

}  // namespace tutorial::test
