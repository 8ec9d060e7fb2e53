/// launcher_violations(): what every launcher promises, tried.

#include "common/proof/buffers.h"
#include "common/proof/tiled.h"
#include "common/proof/unary.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tutorial::test {

namespace {

std::string name_of(cudaError_t error) { return cudaGetErrorName(error); }

/// Tries one rung; each member function below is one promise.
template <class T>
class Trial {
 public:
  Trial(const UnaryRung<T>& rung, Reference reference)
      : rung_(rung), tiled_(reference, rung.max_ulp) {}

  std::vector<std::string> run() {
    try {
      every_size();
      every_offset();
      in_place();
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
  void every_size() {
    for (const std::int64_t n : n_ladder(rung_.width)) {
      GuardedBuffer<T> x(tiled_.inputs(n)), y(size(n));
      const std::string trial = "n = " + std::to_string(n);
      launch(trial, x.data(), y.data(), n);
      check_outputs(trial, y);
      check_inputs(trial, x);
    }
  }

  void every_offset() {
    const std::size_t offsets = std::max<std::size_t>(16, rung_.alignment) / sizeof(T);
    for (std::size_t x_offset = 0; x_offset < offsets; ++x_offset) {
      for (std::size_t y_offset = 0; y_offset < offsets; ++y_offset) offset(x_offset, y_offset);
    }
  }

  void offset(std::size_t x_offset, std::size_t y_offset) {
    constexpr std::int64_t n = 1027;
    const GuardedBuffer<T> x(tiled_.inputs(n), x_offset), y(size(n), y_offset);
    const std::string trial = "x " + std::to_string(x_offset) + " and y " +
                              std::to_string(y_offset) + " elements off alignment";
    const bool aligned = (x_offset * sizeof(T)) % rung_.alignment == 0 &&
                         (y_offset * sizeof(T)) % rung_.alignment == 0;
    if (aligned) {
      launch(trial, x.data(), y.data(), n);
      check_outputs(trial, y);
    } else {
      refuses(trial, cudaErrorMisalignedAddress, x.data(), y.data(), n);
      check_untouched(trial, y);
    }
  }

  void in_place() {
    for (const std::int64_t n : n_ladder(rung_.width)) {
      GuardedBuffer<T> both(tiled_.inputs(n));
      const std::string trial = "in place, n = " + std::to_string(n);
      launch(trial, both.data(), both.data(), n);
      check_outputs(trial, both);
    }
  }

  void refuses_bad_arguments() {
    constexpr std::int64_t n = 1027, least = std::numeric_limits<std::int64_t>::min();
    const GuardedBuffer<T> x(tiled_.inputs(n)), y(size(n));
    launch("n = 0 with null pointers", nullptr, nullptr, 0);
    refuses("n = -1", cudaErrorInvalidValue, x.data(), y.data(), -1);
    refuses("n = -2^63", cudaErrorInvalidValue, x.data(), y.data(), least);
    refuses("n = -1 with null pointers", cudaErrorInvalidValue, nullptr, nullptr, -1);
    refuses("null x", cudaErrorInvalidValue, nullptr, y.data(), n);
    refuses("null y", cudaErrorInvalidValue, x.data(), nullptr, n);
    check_untouched("null pointers and negative n", y);
  }

  void other_stream() {
    constexpr std::int64_t n = 1027;
    const Stream stream;
    const GuardedBuffer<T> x(tiled_.inputs(n)), y(size(n));
    const std::string trial = "on a stream of its own";
    expect(trial, cudaSuccess, rung_.launch(x.data(), y.data(), n, stream.get()));
    stream.synchronize();
    check_outputs(trial, y);
    if constexpr (on_gpu) captured(x, y, stream);
  }

  /// Work that goes to a capturing stream becomes a node of its graph, and waiting for the device
  /// is an error meanwhile: so a capture shows whether the launcher uses the stream and only
  /// enqueues.
  void captured([[maybe_unused]] const GuardedBuffer<T>& x,
                [[maybe_unused]] const GuardedBuffer<T>& y, [[maybe_unused]] const Stream& stream) {
#if defined(TUTORIAL_BACKEND_CUDA)
    const std::string trial = "on a capturing stream";
    const auto n = static_cast<std::int64_t>(x.size());
    require_success(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
                    "cudaStreamBeginCapture");
    expect(trial, cudaSuccess, rung_.launch(x.data(), y.data(), n, stream.get()));
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

  /// Input and output end where their allocations end; AddressSanitizer or compute-sanitizer watch.
  void no_read_past_the_end() {
    for (const std::int64_t n : n_ladder(rung_.width)) {
      const std::vector<T> inputs = tiled_.inputs(n);
      const std::size_t bytes = inputs.size() * sizeof(T);
      const DeviceBytes x(bytes), y(bytes);
      require_success(cudaMemcpy(x.data(), inputs.data(), bytes, cudaMemcpyHostToDevice),
                      "cudaMemcpy");
      launch("exact allocations, n = " + std::to_string(n), reinterpret_cast<const T*>(x.data()),
             reinterpret_cast<T*>(y.data()), n);
    }
  }

  void launch(const std::string& trial, const T* x, T* y, std::int64_t n) {
    expect(trial, cudaSuccess, rung_.launch(x, y, n, nullptr));
    require_success(cudaDeviceSynchronize(), trial.c_str());
  }

  void refuses(const std::string& trial, cudaError_t expected, const T* x, T* y, std::int64_t n) {
    expect(trial, expected, rung_.launch(x, y, n, nullptr));
    require_success(cudaDeviceSynchronize(), trial.c_str());
  }

  void expect(const std::string& trial, cudaError_t expected, cudaError_t actual) {
    if (actual == expected) return;
    violate(trial, "the launcher answers " + name_of(actual) + ", expected " + name_of(expected));
  }

  void check_outputs(const std::string& trial, const GuardedBuffer<T>& y) {
    const std::vector<T> outputs = y.download();
    const auto n = static_cast<std::int64_t>(outputs.size());
    const auto poisoned = std::find_if(outputs.begin(), outputs.end(), is_poison);
    const std::int64_t wrong = tiled_.first_wrong(outputs.data(), 0, n);
    if (poisoned != outputs.end()) {
      violate(trial, "y[" + std::to_string(poisoned - outputs.begin()) + "] was not written");
    } else if (wrong >= 0) {
      violate(trial, tiled_.describe(wrong, outputs[size(wrong)]));
    }
    if (!y.intact()) violate(trial, "the output was " + y.damage());
  }

  void check_inputs(const std::string& trial, const GuardedBuffer<T>& x) {
    const std::vector<T> now = x.download(), were = tiled_.inputs(static_cast<int64_t>(x.size()));
    if (!x.intact()) violate(trial, "the input was " + x.damage());
    if (!now.empty() && std::memcmp(now.data(), were.data(), now.size() * sizeof(T)) != 0) {
      violate(trial, "the input was written to");
    }
  }

  void check_untouched(const std::string& trial, const GuardedBuffer<T>& y) {
    if (!y.untouched() || !y.intact()) violate(trial, "the output was written to all the same");
  }

  void violate(const std::string& trial, const std::string& what) {
    violations_.push_back(trial + ": " + what);
  }

  /// The NaN that buffers start with. No operation makes it: theirs have other payloads.
  static bool is_poison(T value) { return to_bits(value) == std::numeric_limits<Bits<T>>::max(); }
  static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

  const UnaryRung<T>& rung_;
  TiledReference<T> tiled_;
  std::vector<std::string> violations_;
};

}  // namespace

template <class T>
std::vector<std::string> launcher_violations(const UnaryRung<T>& rung, Reference reference) {
  return Trial<T>(rung, reference).run();
}

template std::vector<std::string> launcher_violations(const UnaryRung<float>&, Reference);
template std::vector<std::string> launcher_violations(const UnaryRung<__half>&, Reference);
template std::vector<std::string> launcher_violations(const UnaryRung<__nv_bfloat16>&, Reference);

}  // namespace tutorial::test
