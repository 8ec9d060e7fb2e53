// run_unary(), run_binary(), worst_error(), worst_error_of_pairs(), measure_accuracy(): outputs against a reference in double.

#include "common/proof/binary.h"
#include "common/proof/buffers.h"
#include "common/proof/inputs.h"
#include "common/proof/parallel.h"
#include "common/proof/unary.h"

#include <algorithm>
#include <sstream>
#include <type_traits>
#include <utility>

namespace tutorial::test {

namespace {

/// The worst errors of several rungs, gathered by all cores.
class WorstErrors {
 public:
  /// allowed: ULP, of each rung.
  explicit WorstErrors(std::vector<double> allowed)
      : allowed_(std::move(allowed)),
        worst_(static_cast<std::size_t>(host_threads()), std::vector<WorstError>(allowed_.size())) {
  }

  /// Judges outputs[rung][i] against expected_of(i), i in [0, count); input_of(i): what it is told by.
  template <class T, class InputOf, class ExpectedOf>
  void add(const std::vector<const T*>& outputs, std::int64_t count, const InputOf& input_of,
           const ExpectedOf& expected_of) {
    parallel_pieces(count, [&](int piece, std::int64_t begin, std::int64_t end) {
      std::vector<WorstError> worst = worst_[static_cast<std::size_t>(piece)];
      for (std::int64_t i = begin; i < end; ++i) {
        const double expected = expected_of(i);
        const Bits<T> nearest = to_bits(from_double<T>(expected));
        for (std::size_t rung = 0; rung < worst.size(); ++rung) {
          const T actual = outputs[rung][i];
          // Most outputs are the nearest value, which cannot be worse than half an ULP.
          if (worst[rung].ulp >= 0.5 && allowed_[rung] >= 0.5 && to_bits(actual) == nearest) {
            ++worst[rung].count;
          } else {
            worst[rung].observe(to_double(input_of(i)), expected, to_double(actual),
                                signed_ulp_error(actual, expected), allowed_[rung]);
          }
        }
      }
      worst_[static_cast<std::size_t>(piece)] = worst;
    });
  }
  template <class T>
  void add(const T* inputs, const std::vector<const T*>& outputs, std::int64_t count,
           Reference reference) {
    add(
        outputs, count, [=](std::int64_t i) { return inputs[i]; },
        [=](std::int64_t i) { return reference(to_double(inputs[i])); });
  }

  std::vector<WorstError> result() const {
    std::vector<WorstError> result = worst_.front();
    for (std::size_t piece = 1; piece < worst_.size(); ++piece) {
      for (std::size_t rung = 0; rung < result.size(); ++rung) {
        result[rung].merge(worst_[piece][rung]);
      }
    }
    return result;
  }

 private:
  std::vector<double> allowed_;
  std::vector<std::vector<WorstError>> worst_;  // of each piece of the loop, of each rung
};

template <class T>
std::vector<double> allowed_by(const std::vector<UnaryRung<T>>& rungs) {
  std::vector<double> allowed;
  for (const UnaryRung<T>& rung : rungs) allowed.push_back(rung.max_ulp);
  return allowed;
}

template <class T>
std::vector<WorstError> measure(const std::vector<UnaryRung<T>>& rungs,
                                const std::vector<T>& inputs, Reference reference) {
  std::vector<std::vector<T>> outputs;
  std::vector<const T*> pointers;
  for (const UnaryRung<T>& rung : rungs) outputs.push_back(run_unary(rung.launch, inputs));
  for (const std::vector<T>& output : outputs) pointers.push_back(output.data());
  WorstErrors worst(allowed_by(rungs));
  worst.add(inputs.data(), pointers, static_cast<std::int64_t>(inputs.size()), reference);
  return worst.result();
}

/// One chunk of the floats on its way through the GPU and back: inputs up, a launch per rung, the
/// outputs down, all on the chunk's own stream.
class FloatChunk {
 public:
  static constexpr std::int64_t size = std::int64_t{1} << 24;

  explicit FloatChunk(std::size_t rungs) : inputs_(size), x_(bytes) {
    for (std::size_t rung = 0; rung < rungs; ++rung) {
      outputs_.emplace_back(size);
      y_.emplace_back(bytes);
    }
  }

  /// Enqueues the floats whose bit patterns begin at `first`.
  void start(std::uint32_t first, const std::vector<UnaryRung<float>>& rungs) {
    fill(first);
    copy(x_.data(), inputs_.data(), cudaMemcpyHostToDevice);
    const auto* x = reinterpret_cast<const float*>(x_.data());
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      auto* y = reinterpret_cast<float*>(y_[i].data());
      require_success(cudaMemsetAsync(y, 0xFF, bytes, stream_.get()), "cudaMemsetAsync");
      require_success(rungs[i].launch(x, y, size, stream_.get()), rungs[i].name.c_str());
      copy(outputs_[i].data(), y, cudaMemcpyDeviceToHost);
    }
  }

  /// Waits for the outputs and judges them.
  void finish(WorstErrors& worst, Reference reference) const {
    stream_.synchronize();
    std::vector<const float*> outputs;
    for (const PinnedBuffer<float>& output : outputs_) outputs.push_back(output.data());
    worst.add<float>(inputs_.data(), outputs, size, reference);
  }

 private:
  static constexpr std::size_t bytes = static_cast<std::size_t>(size) * sizeof(float);

  void fill(std::uint32_t first) {
    parallel_pieces(size, [this, first](int, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        inputs_.data()[i] = from_bits<float>(first + static_cast<std::uint32_t>(i));
      }
    });
  }

  void copy(void* to, const void* from, cudaMemcpyKind kind) {
    require_success(cudaMemcpyAsync(to, from, bytes, kind, stream_.get()), "cudaMemcpyAsync");
  }

  PinnedBuffer<float> inputs_;
  std::vector<PinnedBuffer<float>> outputs_;  // of each rung
  DeviceBytes x_;
  std::vector<DeviceBytes> y_;  // of each rung
  Stream stream_;               // declared last: destroyed before the memory it works on
};

/// All 2^32 floats: the GPU works on one chunk while the host judges the one before.
[[maybe_unused]] std::vector<WorstError> measure_all_floats(
    const std::vector<UnaryRung<float>>& rungs, Reference reference) {
  constexpr std::int64_t chunks = (std::int64_t{1} << 32) / FloatChunk::size;
  FloatChunk even(rungs.size()), odd(rungs.size());
  WorstErrors worst(allowed_by(rungs));
  const auto start = [&](std::int64_t chunk) {
    (chunk % 2 == 0 ? even : odd)
        .start(static_cast<std::uint32_t>(chunk * FloatChunk::size), rungs);
  };
  start(0);
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    if (chunk + 1 < chunks) start(chunk + 1);
    (chunk % 2 == 0 ? even : odd).finish(worst, reference);
  }
  return worst.result();
}

}  // namespace

std::string WorstError::description(double allowed, const char* input, const char* inputs) const {
  std::ostringstream text;
  text.precision(9);
  text << ulp << " ULP at " << input << " = " << at_input << ": expected " << expected << ", got "
       << actual << " (";
  if (over == 0) {
    text << count << ' ' << inputs;
  } else {
    text << over << " of " << count << ' ' << inputs << " exceed " << allowed << " ULP, " << input
         << " from " << over_from << " to " << over_to;
  }
  text << ')';
  return text.str();
}

template <class T>
std::vector<T> run_binary(const BinaryLauncher<T>& launch, const std::vector<T>& a,
                          const std::vector<T>& b) {
  const GuardedBuffer<T> in0(a), in1(b), y(a.size());
  const auto n = static_cast<std::int64_t>(a.size());
  require_success(launch(in0.data(), in1.data(), y.data(), n, nullptr), "launch");
  require_success(cudaDeviceSynchronize(), "kernel");
  if (!y.intact()) throw std::runtime_error("the output was " + y.damage());
  return y.download();
}

template <class T>
WorstError worst_error_of_pairs(const BinaryLauncher<T>& launch, const std::vector<T>& a,
                                const std::vector<T>& b, BinaryReference reference,
                                double allowed) {
  const std::size_t rows_at_once = std::max<std::size_t>(1, (std::size_t{1} << 24) / a.size());
  WorstErrors worst({allowed});
  for (std::size_t first = 0; first < b.size(); first += rows_at_once) {
    std::vector<T> left, right;  // all of a beside one b, then beside the next
    for (std::size_t row = first; row < std::min(first + rows_at_once, b.size()); ++row) {
      left.insert(left.end(), a.begin(), a.end());
      right.insert(right.end(), a.size(), b[row]);
    }
    const std::vector<T> y = run_binary(launch, left, right);
    const auto a_of = [&](std::int64_t i) { return a[static_cast<std::size_t>(i) % a.size()]; };
    const auto expected_of = [&](std::int64_t i) {
      const T of_row = b[first + static_cast<std::size_t>(i) / a.size()];
      return reference(to_double(a_of(i)), to_double(of_row));
    };
    worst.add<T>({y.data()}, static_cast<std::int64_t>(y.size()), a_of, expected_of);
  }
  return worst.result().front();
}

template <class T>
std::vector<T> run_unary(const UnaryLauncher<T>& launch, const std::vector<T>& inputs) {
  const auto with_one = [&](const T* x, const T*, T* y, std::int64_t n, cudaStream_t stream) {
    return launch(x, y, n, stream);
  };
  return run_binary<T>(with_one, inputs, {});
}

template <class T>
WorstError worst_error(const std::vector<T>& inputs, const std::vector<T>& outputs,
                       Reference reference, double allowed) {
  if (inputs.size() != outputs.size()) throw std::invalid_argument("worst_error: sizes differ");
  WorstErrors worst({allowed});
  worst.add<T>(inputs.data(), {outputs.data()}, static_cast<std::int64_t>(inputs.size()),
               reference);
  return worst.result().front();
}

template <class T>
std::vector<WorstError> measure_accuracy(const std::vector<UnaryRung<T>>& rungs,
                                         Reference reference) {
  constexpr int per_exponent = 4096;
  if constexpr (!std::is_same_v<T, float>) {
    return measure(rungs, all_values<T>(), reference);
  } else if constexpr (on_gpu) {
    return measure_all_floats(rungs, reference);
  } else {
    return measure(rungs, dense_floats(per_exponent), reference);
  }
}

#define TUTORIAL_INSTANTIATE(T)                                                            \
  template std::vector<T> run_unary(const UnaryLauncher<T>&, const std::vector<T>&);       \
  template WorstError worst_error(const std::vector<T>&, const std::vector<T>&, Reference, \
                                  double);                                                 \
  template std::vector<WorstError> measure_accuracy(const std::vector<UnaryRung<T>>&, Reference);
TUTORIAL_FOR_ALL_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

#define TUTORIAL_INSTANTIATE(T)                                                             \
  template std::vector<T> run_binary(const BinaryLauncher<T>&, const std::vector<T>&,       \
                                     const std::vector<T>&);                                \
  template WorstError worst_error_of_pairs(const BinaryLauncher<T>&, const std::vector<T>&, \
                                           const std::vector<T>&, BinaryReference, double);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::test
