// run_unary(), worst_error(), measure_accuracy(): outputs against a reference in double.

#include "common/proof/buffers.h"
#include "common/proof/inputs.h"
#include "common/proof/parallel.h"
#include "common/proof/unary.h"

#include <algorithm>
#include <type_traits>

namespace tutorial::test {

namespace {

/// Takes one more output into account.
template <class T>
void observe(WorstError& worst, T input, double expected, T actual) {
  const double error = ulp_error(actual, expected);
  if (worst.count++ > 0 && error <= worst.ulp) return;
  worst = {error, to_double(input), expected, to_double(actual), worst.count};
}

WorstError merged(const WorstError& a, const WorstError& b) {
  WorstError worst = b.count == 0 || (a.count > 0 && a.ulp >= b.ulp) ? a : b;
  worst.count = a.count + b.count;
  return worst;
}

/// The worst errors of several rungs, gathered by all cores.
class WorstErrors {
 public:
  explicit WorstErrors(std::size_t rungs)
      : worst_(static_cast<std::size_t>(host_threads()), std::vector<WorstError>(rungs)) {}

  /// Judges outputs[rung][i] against the reference for inputs[i], i in [0, count).
  template <class T>
  void add(const T* inputs, const std::vector<const T*>& outputs, std::int64_t count,
           Reference reference) {
    parallel_pieces(count, [&](int piece, std::int64_t begin, std::int64_t end) {
      std::vector<WorstError> worst = worst_[static_cast<std::size_t>(piece)];
      for (std::int64_t i = begin; i < end; ++i) {
        const double expected = reference(to_double(inputs[i]));
        for (std::size_t rung = 0; rung < worst.size(); ++rung) {
          observe(worst[rung], inputs[i], expected, outputs[rung][i]);
        }
      }
      worst_[static_cast<std::size_t>(piece)] = worst;
    });
  }

  std::vector<WorstError> result() const {
    std::vector<WorstError> result = worst_.front();
    for (std::size_t piece = 1; piece < worst_.size(); ++piece) {
      for (std::size_t rung = 0; rung < result.size(); ++rung) {
        result[rung] = merged(result[rung], worst_[piece][rung]);
      }
    }
    return result;
  }

 private:
  std::vector<std::vector<WorstError>> worst_;  // of each piece of the loop, of each rung
};

template <class T>
std::vector<WorstError> measure(const std::vector<UnaryRung<T>>& rungs,
                                const std::vector<T>& inputs, Reference reference) {
  std::vector<std::vector<T>> outputs;
  std::vector<const T*> pointers;
  for (const UnaryRung<T>& rung : rungs) outputs.push_back(run_unary(rung.launch, inputs));
  for (const std::vector<T>& output : outputs) pointers.push_back(output.data());
  WorstErrors worst(rungs.size());
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
  WorstErrors worst(rungs.size());
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

template <class T>
std::vector<T> run_unary(const UnaryLauncher<T>& launch, const std::vector<T>& inputs) {
  const GuardedBuffer<T> x(inputs), y(inputs.size());
  require_success(launch(x.data(), y.data(), static_cast<std::int64_t>(inputs.size()), nullptr),
                  "launch");
  require_success(cudaDeviceSynchronize(), "kernel");
  if (!y.intact()) throw std::runtime_error("the output was " + y.damage());
  return y.download();
}

template <class T>
WorstError worst_error(const std::vector<T>& inputs, const std::vector<T>& outputs,
                       Reference reference) {
  if (inputs.size() != outputs.size()) throw std::invalid_argument("worst_error: sizes differ");
  WorstErrors worst(1);
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

#define TUTORIAL_INSTANTIATE(T)                                                             \
  template std::vector<T> run_unary(const UnaryLauncher<T>&, const std::vector<T>&);        \
  template WorstError worst_error(const std::vector<T>&, const std::vector<T>&, Reference); \
  template std::vector<WorstError> measure_accuracy(const std::vector<UnaryRung<T>>&, Reference);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(__half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
TUTORIAL_INSTANTIATE(__nv_fp8_e4m3)
TUTORIAL_INSTANTIATE(__nv_fp8_e5m2)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::test
