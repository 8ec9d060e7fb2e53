// What a program in plain CUDA finds without an #include, as nvcc has it: the language, and the launch
// that common/tools/reader/launch_syntax.py makes of `kernel<<<grid, block, shared, stream>>>(arguments)`.
// g++ includes it first, precompiled.
#pragma once

#include <cuda_runtime.h>

#include "common/executor/cuda_language.h"
#include "common/executor/executor.h"
#include "common/executor/later.h"
#include "common/executor/program.h"
#include "common/run/launch_at_work.h"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tutorial::run {

/// The kernel's `__cluster_dims__(blocks, 1, 1)`.
struct Clusters {
  unsigned blocks;
};

/// What stands between `<<<` and `>>>`.
struct Shape {
  Shape(dim3 its_grid, dim3 its_block, std::size_t shared = 0, cudaStream_t its_stream = nullptr)
      : grid(its_grid), block(its_block), shared_bytes(shared), stream(its_stream) {}
  template <class... More>
  Shape(Clusters its_clusters, More... more) : Shape(more...) {
    cluster = its_clusters.blocks;
  }

  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
  unsigned cluster = 1;
};

/// What the source says of a launch.
struct Source {
  const char* kernel;
  const char* parameters;  ///< "x,y,n"; empty: not known
  cpu::Where where;
};

/// Runs `call(arguments...)`, each thread with its own copies.
template <class Call, class... Params>
void launch(const Source& source, const Shape& shape, const void* kernel, const Call& call,
            const Params&... arguments) {
  cpu::enqueue(shape.stream, [=](cudaStream_t stream) {
    const cpu::Launch launch{kernel, shape.grid,    shape.block,       shape.shared_bytes,
                             false,  source.kernel, source.parameters, source.where,
                             stream, shape.cluster};
    const LaunchAtWork at_work(launch);
    return cpu::execute_call(launch, call, arguments...);
  });
}

/// Takes the arguments of one function: they convert as in a call.
template <class Call, class... Params>
struct Typed {
  Source source;
  Shape shape;
  const void* kernel;
  Call call;

  void operator()(Params... arguments) const {
    run::launch(source, shape, kernel, call, arguments...);
  }
};

template <class... Params, class Call>
Typed<Call, Params...> typed(void (*kernel)(Params...), const Source& source, const Shape& shape,
                             Call call) {
  return {source, shape, reinterpret_cast<const void*>(kernel), call};
}

/// Takes any arguments: of a template, an overloaded function, one with default arguments.
template <class Call>
struct Any {
  Source source;
  Shape shape;
  Call call;

  template <class... Arguments>
  void operator()(Arguments... arguments) const {
    run::launch(source, shape, nullptr, call, arguments...);
  }
};

template <class Call>
Any<Call> any(const Source& source, const Shape& shape, Call call) {
  return {source, shape, call};
}

/// An array in dynamic shared memory that is declared outside of functions.
template <class T>
struct DynamicShared {
  T* get() const { return static_cast<T*>(cpu::dynamic_shared()); }
  operator T*() const { return get(); }
  template <class U>
  explicit operator U*() const {
    return reinterpret_cast<U*>(get());
  }
};

}  // namespace tutorial::run

// A lambda that calls the kernel can be inlined; a pointer to it could not. It may be called when the pointer is gone
// that the kernel was launched through, so it has a copy.
#define TUTORIAL_CALL(kernel)                                                   \
  [=](auto&&... tutorial_arguments) {                                           \
    kernel(static_cast<decltype(tutorial_arguments)&&>(tutorial_arguments)...); \
  }
#define TUTORIAL_LAUNCH(name, parameters, kernel, ...)                      \
  ::tutorial::run::typed(&kernel, {name, parameters, {__FILE__, __LINE__}}, \
                         ::tutorial::run::Shape(__VA_ARGS__), TUTORIAL_CALL(kernel))
#define TUTORIAL_LAUNCH_ANY(name, parameters, kernel, ...)       \
  ::tutorial::run::any({name, parameters, {__FILE__, __LINE__}}, \
                       ::tutorial::run::Shape(__VA_ARGS__), TUTORIAL_CALL(kernel))

// NVIDIA's header keeps them from a host compiler.
#ifndef cudaStreamTailLaunch
#define cudaStreamTailLaunch (reinterpret_cast<cudaStream_t>(3))
#define cudaStreamFireAndForget (reinterpret_cast<cudaStream_t>(4))
#endif

// `extern __shared__ T name[]more;` Parentheses keep what has commas together.
#define TUTORIAL_UNWRAP(...) __VA_ARGS__
#define TUTORIAL_DYNAMIC_SHARED(type, more, name)                           \
  TUTORIAL_UNWRAP type(*const name) TUTORIAL_UNWRAP more [[maybe_unused]] = \
      static_cast<TUTORIAL_UNWRAP type(*) TUTORIAL_UNWRAP more>(::tutorial::cpu::dynamic_shared())
#define TUTORIAL_DYNAMIC_SHARED_OF_FILE(type, more, name) \
  static const ::tutorial::run::DynamicShared<TUTORIAL_UNWRAP type TUTORIAL_UNWRAP more> name
