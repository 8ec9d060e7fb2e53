// The runtime's functions as a program that is checked calls them: the linker was told by --wrap of each
// (common/check/wrapped.txt) to call these in their places.

#include "common/check/heap.h"
#include "common/check/host.h"
#include "common/executor/later.h"

#include <cuda_runtime_api.h>

#include <unistd.h>

#include <cstdlib>
#include <cstring>

using tutorial::check::Call;
using tutorial::check::Checker;
using tutorial::check::Heap;
using tutorial::check::Host;
using tutorial::check::Memory;
using tutorial::check::Piece;

namespace {

Host& host() { return Host::instance(); }

/// A function that is told of no access: of the program, or of its kernels.
void see(const Piece& read, const Piece& written, const void* return_address) {
  if (!host().is_started() || tutorial::trace::on_access == nullptr) return;
  if (tutorial::check::Busy::count != 0) return;
  {
    const tutorial::check::Busy busy;
    if (!Checker::instance().memory().is_programs(reinterpret_cast<std::uintptr_t>(return_address)))
      return;
  }
  for (const Piece& piece : {read, written}) {
    if (piece.bytes == 0) continue;
    tutorial::trace::on_access(
        {reinterpret_cast<std::uintptr_t>(piece.pointer), piece.bytes,
         piece.is_read ? tutorial::trace::Operation::load : tutorial::trace::Operation::store,
         reinterpret_cast<std::uintptr_t>(return_address), true});
  }
}

/// Memory of the heap, given to host code or to a kernel.
void* given(void* pointer, std::size_t bytes, const void* return_address) {
  if (pointer == nullptr || !Heap::listens() || tutorial::check::Busy::count != 0) return pointer;
  const tutorial::check::Busy busy;
  const auto pc = reinterpret_cast<std::uintptr_t>(return_address);
  const bool is_kernels = tutorial::cpu::running_block != nullptr;
  Memory& memory = Checker::instance().memory();
  if (is_kernels && !memory.is_programs(pc)) return pointer;
  Heap::instance().allocates(pointer, bytes, pc, is_kernels);
  if (is_kernels) memory.kernel_allocates(pointer, bytes, pc);
  return pointer;
}

void taken(void* pointer, const void* return_address) {
  if (pointer == nullptr || !Heap::listens()) return;
  const Heap::Array array = Heap::instance().frees(pointer);
  if (!array.is_kernels) return;
  const tutorial::check::Busy busy;
  Checker::instance().kernel_frees(array.bytes, reinterpret_cast<std::uintptr_t>(return_address));
}

const char* row_of(const void* pointer, std::size_t pitch, std::size_t row) {
  return static_cast<const char*>(pointer) + pitch * row;
}

Piece rows(const void* pointer, std::size_t pitch, std::size_t width, std::size_t height,
           bool is_read) {
  return {pointer, height == 0 ? 0 : (height - 1) * pitch + width, is_read};
}

/// What a copy of rows is told.
struct Rows {
  const void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch, width, height;
};

bool copies_rows(const Call& call, const Rows& all, cudaMemcpyKind kind) {
  return all.width > all.to_pitch || all.width > all.from_pitch ||
         host().copies(call, rows(all.to, all.to_pitch, all.width, all.height, false),
                       rows(all.from, all.from_pitch, all.width, all.height, true), kind);
}

void has_copied_rows(const Call& call, const Rows& all, cudaStream_t stream, bool is_async) {
  for (std::size_t i = 0; i < all.height; ++i) {
    host().has_copied(call, {row_of(all.to, all.to_pitch, i), all.width, false},
                      {row_of(all.from, all.from_pitch, i), all.width, true}, stream, is_async);
  }
}

Piece row_of_box(const cudaMemcpy3DParms& box, std::size_t y, std::size_t z, bool is_read) {
  const cudaPitchedPtr& memory = is_read ? box.srcPtr : box.dstPtr;
  const cudaPos& from = is_read ? box.srcPos : box.dstPos;
  const std::size_t row = (from.z + z) * memory.ysize + from.y + y;
  return {row_of(memory.ptr, memory.pitch, row) + from.x, box.extent.width, is_read};
}

bool copies_box(const Call& call, const cudaMemcpy3DParms& box) {
  if (box.srcPtr.ptr == nullptr || box.dstPtr.ptr == nullptr) return true;
  const cudaExtent& size = box.extent;
  if (size.width * size.height * size.depth == 0) return true;
  const auto whole = [&](bool is_read) {
    const Piece first = row_of_box(box, 0, 0, is_read);
    const Piece last = row_of_box(box, size.height - 1, size.depth - 1, is_read);
    const auto to_last =
        static_cast<const char*>(last.pointer) - static_cast<const char*>(first.pointer);
    return Piece{first.pointer, static_cast<std::size_t>(to_last) + size.width, is_read};
  };
  return host().copies(call, whole(false), whole(true), box.kind);
}

void has_copied_box(const Call& call, const cudaMemcpy3DParms& box, cudaStream_t stream,
                    bool is_async) {
  for (std::size_t z = 0; z < box.extent.depth; ++z) {
    for (std::size_t y = 0; y < box.extent.height; ++y) {
      host().has_copied(call, row_of_box(box, y, z, false), row_of_box(box, y, z, true), stream,
                        is_async);
    }
  }
}

/// A call that is judged when it is done: at once, or `in` a stream when a graph is launched or a kernel has ended.
template <class Body>
cudaError_t judged(const char* name, const void* return_address, cudaStream_t stream,
                   const Body& body) {
  return tutorial::cpu::enqueue(stream, [=](cudaStream_t in) {
    const Call call(name, return_address);
    return call.answer(body(call, in));
  });
}

}  // namespace

#define TUTORIAL_CALL(name) const Call call(#name, __builtin_return_address(0))

// Parameters and arguments stand in parentheses.
#define TUTORIAL_WRAPS(name, parameters, arguments, before, after) \
  cudaError_t __real_##name parameters;                            \
  cudaError_t __wrap_##name parameters {                           \
    TUTORIAL_CALL(name);                                           \
    before;                                                        \
    const cudaError_t error = __real_##name arguments;             \
    after;                                                         \
    return call.answer(error);                                     \
  }
#define TUTORIAL_ALLOCATES(name, parameters, arguments) \
  TUTORIAL_WRAPS(name, parameters, arguments, , host().allocates(call))
#define TUTORIAL_FREES(name, parameters, arguments) \
  TUTORIAL_WRAPS(name, parameters, arguments, host().frees(call, pointer), host().allocates(call))
/// After it `then` is done, if there was no error.
#define TUTORIAL_THEN(name, parameters, arguments, then) \
  TUTORIAL_WRAPS(name, parameters, arguments, , if (error == cudaSuccess) then)
/// What allocates `bytes` bytes of the heap.
#define TUTORIAL_GIVES(name, parameters, arguments, bytes)                     \
  void* __real_##name parameters;                                              \
  void* __wrap_##name parameters {                                             \
    return given(__real_##name arguments, bytes, __builtin_return_address(0)); \
  }
/// What copies, or fills, `bytes` bytes; `read`: what it reads.
#define TUTORIAL_WRITES(name, parameters, arguments, read)      \
  void* __real_##name parameters;                               \
  void* __wrap_##name parameters {                              \
    see(read, {to, bytes, false}, __builtin_return_address(0)); \
    return __real_##name arguments;                             \
  }
/// Is done `in` a stream, unless what is asked before says no; what `prepare` declares is copied with the parameters.
#define TUTORIAL_JUDGED(name, parameters, arguments, stream, prepare, may_be_done, then) \
  cudaError_t __real_##name parameters;                                                  \
  cudaError_t __wrap_##name parameters {                                                 \
    prepare;                                                                             \
    return judged(#name, __builtin_return_address(0), stream,                            \
                  [=](const Call& call, cudaStream_t in) {                               \
                    if (!may_be_done) return cudaErrorInvalidValue;                      \
                    const cudaError_t error = __real_##name arguments;                   \
                    if (error == cudaSuccess) then;                                      \
                    return error;                                                        \
                  });                                                                    \
  }
#define TUTORIAL_COPIES(name, parameters, arguments, to, from, stream, is_async)              \
  TUTORIAL_JUDGED(name, parameters, arguments, stream, , host().copies(call, to, from, kind), \
                  host().has_copied(call, to, from, in, is_async))
#define TUTORIAL_COPIES_ROWS(name, parameters, arguments, stream, is_async)               \
  TUTORIAL_JUDGED(name, parameters, arguments, stream,                                    \
                  const Rows all = (Rows{to, to_pitch, from, from_pitch, width, height}), \
                  copies_rows(call, all, kind), has_copied_rows(call, all, in, is_async))
#define TUTORIAL_COPIES_BOX(name, parameters, arguments, stream, is_async)          \
  TUTORIAL_JUDGED(name, parameters, arguments, stream,                              \
                  const auto box = given == nullptr ? cudaMemcpy3DParms{} : *given, \
                  copies_box(call, box), has_copied_box(call, box, in, is_async))
#define TUTORIAL_SETS(name, parameters, arguments, what, stream)                          \
  TUTORIAL_JUDGED(name, parameters, arguments, stream, , (host().sets(call, what), true), \
                  host().has_set(what, in))
#define TUTORIAL_COPIES_VARIABLE(its_name, function, parameters, arguments, to, from) \
  cudaError_t __real_##function parameters;                                           \
  cudaError_t __wrap_##function parameters {                                          \
    TUTORIAL_CALL(its_name);                                                          \
    const bool is_read = std::strcmp(#its_name, "cudaMemcpyFromSymbol") == 0;         \
    const Piece variable{row_of(symbol, 1, offset), bytes, is_read},                  \
        outside{other, bytes, !is_read};                                              \
    if (!host().copies_variable(call, variable, outside, kind))                       \
      return call.answer(cudaErrorInvalidValue);                                      \
    const cudaError_t error = __real_##function arguments;                            \
    if (error == cudaSuccess) host().has_copied(call, to, from, nullptr, false);      \
    return call.answer(error);                                                        \
  }
/// The program looks at an error.
#define TUTORIAL_ASKS(type, name, parameters, arguments) \
  type __real_##name parameters;                         \
  type __wrap_##name parameters {                        \
    TUTORIAL_CALL(name);                                 \
    Checker::instance().problems().error_is_asked_for(); \
    return __real_##name arguments;                      \
  }
/// The program ends without main()'s return.
#define TUTORIAL_ENDS(name)                   \
  [[noreturn]] void __real_##name(int code);  \
  [[noreturn]] void __wrap_##name(int code) { \
    host().end(code);                         \
    __real_##name(code);                      \
  }

extern "C" {

// ---- Memory -------------------------------------------------------------------------------------

TUTORIAL_ALLOCATES(cudaMalloc, (void** pointer, std::size_t bytes), (pointer, bytes))
TUTORIAL_ALLOCATES(cudaMallocAsync, (void** pointer, std::size_t bytes, cudaStream_t stream),
                   (pointer, bytes, stream))
TUTORIAL_ALLOCATES(cudaMallocPitch,
                   (void** pointer, std::size_t* pitch, std::size_t width, std::size_t height),
                   (pointer, pitch, width, height))
TUTORIAL_ALLOCATES(cudaMalloc3D, (cudaPitchedPtr * pointer, cudaExtent extent), (pointer, extent))
TUTORIAL_ALLOCATES(cudaMallocManaged, (void** pointer, std::size_t bytes, unsigned flags),
                   (pointer, bytes, flags))
TUTORIAL_ALLOCATES(cudaMallocHost, (void** pointer, std::size_t bytes), (pointer, bytes))
TUTORIAL_ALLOCATES(cudaHostAlloc, (void** pointer, std::size_t bytes, unsigned flags),
                   (pointer, bytes, flags))
TUTORIAL_ALLOCATES(cudaHostRegister, (void* pointer, std::size_t bytes, unsigned flags),
                   (pointer, bytes, flags))
TUTORIAL_FREES(cudaFreeAsync, (void* pointer, cudaStream_t stream), (pointer, stream))
TUTORIAL_FREES(cudaFreeHost, (void* pointer), (pointer))
TUTORIAL_FREES(cudaHostUnregister, (void* pointer), (pointer))
TUTORIAL_WRAPS(cudaFree, (void* pointer), (pointer), host().frees(call, pointer),
               host().streams.wait_for_all();
               host().allocates(call))

TUTORIAL_GIVES(malloc, (std::size_t bytes), (bytes), bytes)
TUTORIAL_GIVES(calloc, (std::size_t count, std::size_t bytes), (count, bytes), (count * bytes))
TUTORIAL_GIVES(_Znwm, (std::size_t bytes), (bytes), bytes)  // operator new
TUTORIAL_GIVES(_Znam, (std::size_t bytes), (bytes), bytes)  // operator new[]

// In the places of the C library's: its own functions, and C++'s, free and enlarge the program's memory, too.
void __libc_free(void* pointer);
void* __libc_realloc(void* pointer, std::size_t bytes);
void free(void* pointer) {
  taken(pointer, __builtin_return_address(0));
  __libc_free(pointer);
}
void* realloc(void* pointer, std::size_t bytes) {
  taken(pointer, __builtin_return_address(0));
  return given(__libc_realloc(pointer, bytes), bytes, __builtin_return_address(0));
}

// ---- Copies and fills ---------------------------------------------------------------------------

TUTORIAL_COPIES(cudaMemcpy, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind),
                (to, from, bytes, kind), (Piece{to, bytes, false}), (Piece{from, bytes, true}),
                nullptr, false)
TUTORIAL_COPIES(cudaMemcpyAsync,
                (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream),
                (to, from, bytes, kind, in), (Piece{to, bytes, false}), (Piece{from, bytes, true}),
                stream, true)
TUTORIAL_COPIES_ROWS(cudaMemcpy2D,
                     (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind),
                     (to, to_pitch, from, from_pitch, width, height, kind), nullptr, false)
TUTORIAL_COPIES_ROWS(cudaMemcpy2DAsync,
                     (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind,
                      cudaStream_t stream),
                     (to, to_pitch, from, from_pitch, width, height, kind, in), stream, true)
TUTORIAL_COPIES_BOX(cudaMemcpy3D, (const cudaMemcpy3DParms* given), (&box), nullptr, false)
TUTORIAL_COPIES_BOX(cudaMemcpy3DAsync, (const cudaMemcpy3DParms* given, cudaStream_t stream),
                    (&box, in), stream, true)
// cudaMemcpyToSymbol and cudaMemcpyFromSymbol are templates (common/executor/runtime_templates.h).
TUTORIAL_COPIES_VARIABLE(cudaMemcpyToSymbol,
                         _ZN8tutorial3cpu14copy_to_symbolEPKvmS2_mm14cudaMemcpyKind,
                         (const void* symbol, std::size_t size, const void* other,
                          std::size_t bytes, std::size_t offset, cudaMemcpyKind kind),
                         (symbol, size, other, bytes, offset, kind), variable, outside)
TUTORIAL_COPIES_VARIABLE(cudaMemcpyFromSymbol,
                         _ZN8tutorial3cpu16copy_from_symbolEPvPKvmmm14cudaMemcpyKind,
                         (void* other, const void* symbol, std::size_t size, std::size_t bytes,
                          std::size_t offset, cudaMemcpyKind kind),
                         (other, symbol, size, bytes, offset, kind), outside, variable)
TUTORIAL_SETS(cudaMemset, (void* to, int value, std::size_t bytes), (to, value, bytes),
              (Piece{to, bytes, false}), nullptr)
TUTORIAL_SETS(cudaMemsetAsync, (void* to, int value, std::size_t bytes, cudaStream_t stream),
              (to, value, bytes, in), (Piece{to, bytes, false}), stream)
TUTORIAL_SETS(cudaMemset2D,
              (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height),
              (to, pitch, value, width, height), rows(to, pitch, width, height, false), nullptr)

// ---- Streams and events -------------------------------------------------------------------------

TUTORIAL_THEN(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags),
              if ((flags & cudaStreamNonBlocking) != 0) host().streams.is_independent(*stream))
TUTORIAL_THEN(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
              (stream, flags, priority),
              if ((flags & cudaStreamNonBlocking) != 0) host().streams.is_independent(*stream))
TUTORIAL_THEN(cudaStreamSynchronize, (cudaStream_t stream), (stream), host().streams.wait(stream))
TUTORIAL_THEN(cudaStreamQuery, (cudaStream_t stream), (stream), host().streams.wait(stream))
TUTORIAL_THEN(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
              (stream, event, flags), host().streams.wait_in_stream(stream, event))
TUTORIAL_THEN(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream),
              host().streams.record(event, stream))
TUTORIAL_THEN(cudaEventSynchronize, (cudaEvent_t event), (event), host().streams.wait_for(event))
TUTORIAL_THEN(cudaEventQuery, (cudaEvent_t event), (event), host().streams.wait_for(event))
TUTORIAL_THEN(cudaEventElapsedTime, (float* ms, cudaEvent_t begin, cudaEvent_t end),
              (ms, begin, end), host().streams.wait_for(end))
TUTORIAL_THEN(cudaDeviceSynchronize, (), (), host().streams.wait_for_all())
TUTORIAL_THEN(cudaDeviceReset, (), (), host().streams.wait_for_all())

// ---- Memory functions of C: in host code, and in kernels, which no compiler tells of them -------

TUTORIAL_WRITES(memcpy, (void* to, const void* from, std::size_t bytes), (to, from, bytes),
                (Piece{from, bytes, true}))
TUTORIAL_WRITES(memmove, (void* to, const void* from, std::size_t bytes), (to, from, bytes),
                (Piece{from, bytes, true}))
TUTORIAL_WRITES(memset, (void* to, int value, std::size_t bytes), (to, value, bytes),
                (Piece{to, 0, true}))

// ---- Errors, and the end ------------------------------------------------------------------------

TUTORIAL_ASKS(cudaError_t, cudaGetLastError, (), ())
TUTORIAL_ASKS(cudaError_t, cudaPeekAtLastError, (), ())
TUTORIAL_ASKS(const char*, cudaGetErrorName, (cudaError_t error), (error))
TUTORIAL_ASKS(const char*, cudaGetErrorString, (cudaError_t error), (error))
TUTORIAL_ENDS(exit)
TUTORIAL_ENDS(_exit)
TUTORIAL_ENDS(_Exit)
TUTORIAL_ENDS(quick_exit)

}  // extern "C"
