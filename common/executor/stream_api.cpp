// The runtime API's streams and events.

#include "common/executor/last_error.h"
#include "common/executor/later.h"
#include "common/executor/runtime_api.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <new>

/// A stream. It has never anything left to do.
struct CUstream_st {
  unsigned flags;
  int priority;
};

struct CUevent_st {
  unsigned flags;
  bool recorded;
  std::chrono::steady_clock::time_point time;
};

namespace tutorial::cpu {
namespace {

constexpr int kGreatestPriority = -5;  // of an H100

/// Whether the program has created the stream: the default streams are numbers.
bool is_created(cudaStream_t stream) {
  return stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

cudaError_t create_stream(cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr) return cudaErrorInvalidValue;
  if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;
  const int within = priority > 0 ? 0 : priority < kGreatestPriority ? kGreatestPriority : priority;
  *stream = new (std::nothrow) CUstream_st{flags, within};
  return *stream != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t create_event(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return cudaErrorInvalidValue;
  *event = new (std::nothrow) CUevent_st{flags, false, {}};
  return *event != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t record_event(cudaEvent_t event) {
  if (event == nullptr) return cudaErrorInvalidResourceHandle;
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}

bool has_time(const CUevent_st* event) {
  return event != nullptr && event->recorded && (event->flags & cudaEventDisableTiming) == 0;
}

cudaError_t elapsed_milliseconds(float* milliseconds, const CUevent_st* start,
                                 const CUevent_st* end) {
  if (milliseconds == nullptr) return cudaErrorInvalidValue;
  if (!has_time(start) || !has_time(end)) return cudaErrorInvalidResourceHandle;
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cudaSuccess;
}

/// What a call says that waits for the stream.
cudaError_t wait(cudaStream_t stream = nullptr) {
  if (breaks_capture(&stream)) return record_error(cudaErrorStreamCaptureUnsupported);
  show_output();
  return answer();
}

}  // namespace
}  // namespace tutorial::cpu

namespace cpu = tutorial::cpu;
using cpu::answer;

extern "C" {

// ---- Streams ------------------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return answer([&] { return cpu::create_stream(pStream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return answer([&] { return cpu::create_stream(pStream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  return answer([&] { return cpu::create_stream(pStream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!cpu::is_created(stream)) return cpu::record_error(cudaErrorInvalidResourceHandle);
  delete stream;
  return cpu::wait();
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  return cpu::give(flags, cpu::is_created(stream) ? stream->flags : cudaStreamDefault);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return cpu::give(priority, cpu::is_created(stream) ? stream->priority : 0);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (leastPriority != nullptr) *leastPriority = 0;
  if (greatestPriority != nullptr) *greatestPriority = cpu::kGreatestPriority;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return cpu::wait(stream); }

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cpu::wait(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int /*flags*/) {
  cpu::joins_capture(stream, event);
  return answer();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  return answer([&] {
    if (fn == nullptr) return cudaErrorInvalidValue;
    return cpu::enqueue(stream, [=](cudaStream_t) {
      fn(userData);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* userData, unsigned int /*flags*/) {
  if (callback == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  callback(stream, cpu::kernel_fault(), userData);
  return answer();
}

// ---- Events -------------------------------------------------------------------------------------

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return answer([&] { return cpu::create_event(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return answer([&] { return cpu::create_event(event, flags); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  cpu::capture_records(event, stream);
  return cpu::record_error(cpu::record_event(event));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned int /*flags*/) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) { return cpu::wait(); }

cudaError_t cudaEventQuery(cudaEvent_t /*event*/) { return cpu::wait(); }

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return answer([&] { return cpu::elapsed_milliseconds(ms, start, end); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return cpu::record_error(cudaErrorInvalidResourceHandle);
  delete event;
  return answer();
}

}  // extern "C"
