// NVML, asked on a thread of its own.

#include "common/bench/clocks.h"

#include "common/bench/statistics.h"

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#if defined(TUTORIAL_BACKEND_CUDA)
#include <dlfcn.h>
#endif

namespace tutorial::bench {

namespace {

#if defined(TUTORIAL_BACKEND_CUDA)

/// The few functions of NVML that are used, found in the driver's library when a benchmark runs; the
/// build needs neither its header nor its library.
class Nvml {
 public:
  /// The library, opened once; null where it is not there or does not know the current device.
  static const Nvml* instance() {
    static const Nvml nvml;
    return nvml.device_ != nullptr ? &nvml : nullptr;
  }

  bool sm_mhz(unsigned& mhz) const {
    constexpr int kSmClock = 1;  // NVML_CLOCK_SM
    return clock_(device_, kSmClock, &mhz) == 0;
  }
  std::uint64_t reasons() const {
    unsigned long long bits = 0;
    return reasons_(device_, &bits) == 0 ? bits : 0;
  }
  double power_limit() const {
    unsigned milliwatts = 0;
    return limit_(device_, &milliwatts) == 0 ? milliwatts * 1e-3 : 0;
  }

 private:
  using Device = void*;

  Nvml() {
    const char* wanted = std::getenv("TUTORIAL_CLOCKS");
    if (wanted != nullptr && wanted[0] == '0') return;
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) return;
    int (*init)() = nullptr;
    int (*handle)(const char*, Device*) = nullptr;
    const bool all = find(init, "nvmlInit_v2") &&
                     find(handle, "nvmlDeviceGetHandleByPciBusId_v2") &&
                     find(clock_, "nvmlDeviceGetClockInfo") &&
                     find(reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons") &&
                     find(limit_, "nvmlDeviceGetEnforcedPowerLimit");
    std::array<char, 32> bus{};
    int current = 0;
    if (!all || cudaGetDevice(&current) != cudaSuccess ||
        cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), current) != cudaSuccess ||
        init() != 0) {
      return;
    }
    if (handle(bus.data(), &device_) != 0) device_ = nullptr;
  }

  template <class Function>
  bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    return function != nullptr;
  }

  void* library_ = nullptr;
  Device device_ = nullptr;
  int (*clock_)(Device, int, unsigned*) = nullptr;
  int (*reasons_)(Device, unsigned long long*) = nullptr;
  int (*limit_)(Device, unsigned*) = nullptr;
};

#else

struct Nvml {
  static const Nvml* instance() { return nullptr; }
  static bool sm_mhz(unsigned&) { return false; }
  static std::uint64_t reasons() { return 0; }
  static double power_limit() { return 0; }
};

#endif

}  // namespace

class ClockWatch::Watcher {
 public:
  explicit Watcher(const Nvml& nvml) : nvml_(nvml), thread_([this] { watch(); }) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() { stop(); }

  ClocksSeen seen() {
    stop();
    if (mhz_.empty()) return {};
    seen_.samples = static_cast<int>(mhz_.size());
    seen_.sm_mhz = median(mhz_);
    return seen_;
  }

 private:
  void watch() {
    while (!stopped_) {
      unsigned mhz = 0;
      if (nvml_.sm_mhz(mhz)) mhz_.push_back(mhz);
      seen_.reasons |= nvml_.reasons();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }

  const Nvml& nvml_;
  ClocksSeen seen_;
  std::vector<double> mhz_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;  // last: it uses the others
};

ClockWatch::ClockWatch() {
  if (const Nvml* nvml = Nvml::instance()) watcher_ = std::make_unique<Watcher>(*nvml);
}

ClockWatch::~ClockWatch() = default;

ClocksSeen ClockWatch::seen() { return watcher_ ? watcher_->seen() : ClocksSeen{}; }

std::vector<std::pair<std::string, std::string>> clocks_context() {
  const Nvml* nvml = Nvml::instance();
  if (nvml == nullptr) return {};
  return {{"gpu_power_limit_w", std::to_string(static_cast<int>(nvml->power_limit()))}};
}

}  // namespace tutorial::bench
