// The runtime API's graphs: of a capture, or built node by node. A launch does the nodes one after the other,
// which is one of the orders that a GPU may choose.

#include "common/executor/last_error.h"
#include "common/executor/later.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

struct CUgraphNode_st {
  tutorial::cpu::Work work;
  std::vector<CUgraphNode_st*> after;  // these
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st {
  std::vector<std::pair<CUgraphNode_st*, tutorial::cpu::Work>> works;  // in order
};

namespace tutorial::cpu {
namespace {

/// A graph that streams record into, from cudaStreamBeginCapture of the first one to its end.
struct Capture {
  cudaStream_t origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread = std::this_thread::get_id();  // that has begun it
  std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();
  std::vector<cudaStream_t> streams = {};
  std::vector<cudaEvent_t> events = {};  // recorded in one of the streams
  bool is_broken = false;                // by a call that waits, or allocates
};

/// Which captures keep this thread from allocating.
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

/// Whether this thread must not call what a graph would not do again.
bool forbids_unsafe_calls(const Capture& capture) {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return false;
  if (capture.thread == std::this_thread::get_id()) {
    return capture.mode != cudaStreamCaptureModeRelaxed;
  }
  return thread_mode == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal;
}

template <class T>
bool holds(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Kernels of which programs hold a void*, and all captures.
struct State {
  std::mutex mutex;
  std::map<const void*, Bind> kernels;
  std::vector<std::unique_ptr<Capture>> captures;

  Capture* capture_of(cudaStream_t stream) {
    for (const auto& one : captures) {
      if (holds(one->streams, stream)) return one.get();
    }
    return nullptr;
  }
};

State& state() {
  static State& all = *new State;  // the program may end in another thread
  return all;
}

cudaError_t begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (stream == nullptr || stream == cudaStreamLegacy) return cudaErrorStreamCaptureUnsupported;
  const std::lock_guard<std::mutex> lock(state().mutex);
  if (state().capture_of(stream) != nullptr) return cudaErrorIllegalState;
  state().captures.push_back(std::make_unique<Capture>(Capture{stream, mode}));
  state().captures.back()->streams = {stream};
  ++captures;
  return cudaSuccess;
}

/// Breaks the captures that `concerns` says; whether there is any.
template <class Concerns>
bool break_captures(const Concerns& concerns) {
  if (captures == 0) return false;
  const std::lock_guard<std::mutex> lock(state().mutex);
  bool is_any = false;
  for (const auto& one : state().captures) {
    if (concerns(*one)) one->is_broken = is_any = true;
  }
  return is_any;
}

cudaError_t end_capture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  auto& all = state().captures;
  const auto found =
      std::find_if(all.begin(), all.end(), [=](const auto& one) { return one->origin == stream; });
  if (found == all.end()) return cudaErrorIllegalState;
  const bool is_of_thread = (*found)->thread == std::this_thread::get_id();
  if (!is_of_thread && (*found)->mode != cudaStreamCaptureModeRelaxed) {
    return cudaErrorStreamCaptureWrongThread;
  }
  const bool is_broken = (*found)->is_broken;
  if (graph != nullptr) *graph = is_broken ? nullptr : (*found)->graph.release();
  all.erase(found);
  --captures;
  return is_broken ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                     std::size_t count, Work work) {
  const bool is_wrong = graph == nullptr || (after == nullptr && count > 0);
  if (is_wrong) return record_error(cudaErrorInvalidValue);
  graph->nodes.push_back(std::make_unique<CUgraphNode_st>());
  graph->nodes.back()->work = std::move(work);
  if (count > 0) graph->nodes.back()->after.assign(after, after + count);
  if (node != nullptr) *node = graph->nodes.back().get();
  return cudaSuccess;
}

/// The launch that a node's parameters describe; empty: what the kernel takes is not known.
Work work_of(const cudaKernelNodeParams* launch) {
  if (launch == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(state().mutex);
  const auto known = state().kernels.find(launch->func);
  if (known == state().kernels.end()) return nullptr;
  return known->second(launch->func, launch->gridDim, launch->blockDim, launch->kernelParams,
                       launch->sharedMemBytes);
}

/// Its nodes, each behind those that it depends on; fewer if they wait for each other.
std::vector<std::pair<CUgraphNode_st*, Work>> in_order(const CUgraph_st& graph) {
  std::vector<std::pair<CUgraphNode_st*, Work>> works;
  std::vector<CUgraphNode_st*> done;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const auto& node : graph.nodes) {
      const bool is_next = !holds(done, node.get()) &&
                           std::all_of(node->after.begin(), node->after.end(),
                                       [&](CUgraphNode_st* one) { return holds(done, one); });
      if (!is_next) continue;
      works.emplace_back(node.get(), node->work);
      done.push_back(node.get());
      goes_on = true;
    }
  }
  return works;
}

cudaError_t instantiate(cudaGraphExec_t* exec, const CUgraph_st* graph) {
  if (exec == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  *exec = new CUgraphExec_st{in_order(*graph)};
  return (*exec)->works.size() == graph->nodes.size() ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t do_all(const std::vector<std::pair<CUgraphNode_st*, Work>>& works,
                   cudaStream_t stream) {
  for (const auto& [node, work] : works) {
    const cudaError_t error = work ? work(stream) : cudaSuccess;
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/// What a node does counts as the program's, called from where it has asked for the node.
template <class Function>
Work of_program(const void* place, const Function& function) {
  return [=](cudaStream_t stream) {
    asked_from = place;
    const cudaError_t error = function(stream);
    asked_from = nullptr;
    return error;
  };
}

cudaError_t fill(const cudaMemsetParams& what, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  const auto byte = static_cast<int>(what.value & 0xFF);
  const bool is_of_one_byte = what.elementSize == 1 ||
                              what.value == what.value % 256 * 0x01010101U ||
                              (what.elementSize == 2 && what.value == what.value % 256 * 0x0101U);
  for (std::size_t row = 0; row < what.height && error == cudaSuccess; ++row) {
    char* const begin = static_cast<char*>(what.dst) + row * what.pitch;
    if (is_of_one_byte) {
      error = cudaMemsetAsync(begin, byte, what.width * what.elementSize, stream);
      continue;
    }
    for (std::size_t i = 0; i < what.width && error == cudaSuccess; ++i) {
      error = cudaMemcpyAsync(begin + i * what.elementSize, &what.value, what.elementSize,
                              cudaMemcpyHostToDevice, stream);
    }
  }
  return error;
}

}  // namespace

bool is_captured(cudaStream_t stream) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  if (state().capture_of(stream) != nullptr) return true;
  if (stream != nullptr && stream != cudaStreamLegacy) return false;
  for (const auto& one : state().captures) {
    unsigned flags = cudaStreamDefault;
    cudaStreamGetFlags(one->origin, &flags);
    if (flags == cudaStreamDefault) return one->is_broken = true;
  }
  return false;
}

cudaError_t keep(cudaStream_t stream, Work work) {
  if (running_block != nullptr) return keep_for_end_of_grid(stream, std::move(work));
  const std::lock_guard<std::mutex> lock(state().mutex);
  Capture* const capture = state().capture_of(stream);
  if (capture == nullptr) return record_error(cudaErrorStreamCaptureImplicit);
  if (capture->is_broken) return record_error(cudaErrorStreamCaptureInvalidated);
  return add_node(nullptr, capture->graph.get(), nullptr, 0, std::move(work));
}

void* know_kernel(const void* kernel, Bind bind) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  state().kernels[kernel] = bind;
  return const_cast<void*>(kernel);
}

bool breaks_capture(const cudaStream_t* stream) {
  return break_captures(
      [stream](const Capture& one) { return stream == nullptr || holds(one.streams, *stream); });
}

bool breaks_capture_that_forbids_it() { return break_captures(forbids_unsafe_calls); }

void capture_records(cudaEvent_t event, cudaStream_t stream) {
  if (captures == 0) return;
  const std::lock_guard<std::mutex> lock(state().mutex);
  Capture* const capture = state().capture_of(stream);
  if (capture != nullptr) capture->events.push_back(event);
}

void joins_capture(cudaStream_t stream, cudaEvent_t event) {
  if (captures == 0) return;
  const std::lock_guard<std::mutex> lock(state().mutex);
  for (const auto& one : state().captures) {
    if (holds(one->events, event) && !holds(one->streams, stream)) one->streams.push_back(stream);
  }
}

}  // namespace tutorial::cpu

namespace cpu = tutorial::cpu;
using cpu::answer;

extern "C" {

// ---- Capture ------------------------------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return answer([&] { return cpu::begin_capture(stream, mode); });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (mode == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  std::swap(*mode, cpu::thread_mode);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph) {
  return answer([&] { return cpu::end_capture(stream, pGraph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (status == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  *status = cpu::is_captured(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

// ---- Node by node -------------------------------------------------------------------------------

cudaError_t cudaGraphCreate(cudaGraph_t* pGraph, unsigned int /*flags*/) {
  if (pGraph == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  *pGraph = new CUgraph_st;
  return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* params) {
  cpu::Work work = cpu::work_of(params);
  if (!work) return cpu::record_error(cudaErrorInvalidDeviceFunction);
  return cpu::add_node(node, graph, after, count, std::move(work));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count, void* dst,
                                     const void* src, size_t bytes, cudaMemcpyKind kind) {
  const auto copy = [=](cudaStream_t stream) {
    return cudaMemcpyAsync(dst, src, bytes, kind, stream);
  };
  return cpu::add_node(node, graph, after, count,
                       cpu::of_program(__builtin_return_address(0), copy));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* params) {
  if (params == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  const auto copy = [box = *params](cudaStream_t stream) {
    return cudaMemcpy3DAsync(&box, stream);
  };
  return cpu::add_node(node, graph, after, count,
                       cpu::of_program(__builtin_return_address(0), copy));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* params) {
  if (params == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  const auto fill = [what = *params](cudaStream_t stream) { return cpu::fill(what, stream); };
  return cpu::add_node(node, graph, after, count,
                       cpu::of_program(__builtin_return_address(0), fill));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* params) {
  if (params == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  return cpu::add_node(node, graph, after, count, [call = *params](cudaStream_t stream) {
    return cudaLaunchHostFunc(stream, call.fn, call.userData);
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, size_t count) {
  return cpu::add_node(node, graph, after, count, nullptr);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, size_t count,
                                       cudaGraph_t childGraph) {
  if (childGraph == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  return cpu::add_node(node, graph, after, count,
                       [works = cpu::in_order(*childGraph)](cudaStream_t stream) {
                         return cpu::do_all(works, stream);
                       });
}

static cudaError_t depend(const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  return cudaSuccess;
}
#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t count) {
  return depend(from, to, count);
}
#else
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, size_t count) {
  return depend(from, to, count);
}
#endif

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes) {
  if (graph == nullptr || numNodes == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  if (nodes != nullptr) {
    *numNodes = std::min(*numNodes, graph->nodes.size());
    for (size_t i = 0; i < *numNodes; ++i) nodes[i] = graph->nodes[i].get();
  } else {
    *numNodes = graph->nodes.size();
  }
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (graph == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  delete graph;
  return cudaSuccess;
}

// ---- Launch -------------------------------------------------------------------------------------

cudaError_t cudaLaunchKernel(const void* func, dim3 grid, dim3 block, void** args, size_t sharedMem,
                             cudaStream_t stream) {
  cudaKernelNodeParams launch{};
  launch.func = const_cast<void*>(func);
  launch.gridDim = grid;
  launch.blockDim = block;
  launch.kernelParams = args;
  launch.sharedMemBytes = static_cast<unsigned>(sharedMem);
  const cpu::Work work = cpu::work_of(&launch);
  if (!work) return cpu::record_error(cudaErrorInvalidResourceHandle);  // as CUDA 13.0 on an H100
  return cpu::enqueue(stream, work);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
  return answer([&] { return cpu::instantiate(exec, graph); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  cpu::Work work = cpu::work_of(params);
  if (exec == nullptr || !work) return cpu::record_error(cudaErrorInvalidValue);
  for (auto& [of, old] : exec->works) {
    if (of != node) continue;
    old = std::move(work);
    return cudaSuccess;
  }
  return cpu::record_error(cudaErrorInvalidValue);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t /*exec*/, cudaStream_t /*stream*/) { return answer(); }

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return answer([&] {
    if (exec == nullptr) return cudaErrorInvalidValue;
    return cpu::enqueue(stream,
                        [works = exec->works](cudaStream_t in) { return cpu::do_all(works, in); });
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  if (exec == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  delete exec;
  return cudaSuccess;
}

}  // extern "C"
