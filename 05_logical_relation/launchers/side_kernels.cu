// The launchers of the kernels beside the ladders: strided, where.
#include "05_logical_relation/ladders/side_kernels.cuh"
#include "05_logical_relation/launchers/launch.cuh"
#include "05_logical_relation/logical_relation.h"

namespace tutorial {

namespace {

StridedParam strided_param(const Broadcast& broadcast) {
  StridedParam param{};
  param.num_elems = static_cast<std::uint64_t>(broadcast.elements);
  param.dim_count = broadcast.rank;
  std::uint64_t step = 1;
  for (int i = broadcast.rank; i-- > 0;) {
    param.stride_in0[i] = static_cast<std::uint64_t>(broadcast.stride0[i]);
    param.stride_in1[i] = static_cast<std::uint64_t>(broadcast.stride1[i]);
    param.stride_out[i] = step;
    step *= static_cast<std::uint64_t>(broadcast.extent[i]);
  }
  return param;
}

template <class In, class Op>
cudaError_t launch_strided(const Broadcast& broadcast, const In* in0, const In* in1, Byte* out,
                           Op op, cudaStream_t stream) {
  return launch_elements(strided_kernel<In, Op>, broadcast.elements, 1,
                         {{in0, alignof(In)}, {in1, alignof(In)}, {out, alignof(Byte)}}, stream, {},
                         strided_param(broadcast), in0, in1, out, op);
}

}  // namespace

cudaError_t logical_strided(LogicalOp op, const Broadcast& broadcast, const Byte* in0,
                            const Byte* in1, Byte* out, cudaStream_t stream) {
  return with_operation(op, in0, in1, [&](auto f, const Byte*, const Byte*) {
    return launch_strided(broadcast, in0, in1, out, OnBytes<decltype(f)>{f}, stream);
  });
}

template <class T>
cudaError_t relation_strided(RelationOp op, const Broadcast& broadcast, const T* in0, const T* in1,
                             Byte* out, cudaStream_t stream) {
  if (static_cast<unsigned>(op) > static_cast<unsigned>(RelationOp::LessOrEqual)) {
    return cudaErrorInvalidValue;
  }
  return launch_strided(broadcast, in0, in1, out, AnyRelation{op}, stream);
}

template <class T>
cudaError_t where_naive(const Byte* c, const T* a, const T* b, T* y, std::int64_t n,
                        cudaStream_t stream) {
  return launch_elements(where_kernel<T>, n, 1,
                         {{c, 1}, {a, alignof(T)}, {b, alignof(T)}, {y, alignof(T)}}, stream, {}, c,
                         a, b, y, n);
}

template <class T>
cudaError_t where_pack(const Byte* c, const T* a, const T* b, T* y, std::int64_t n,
                       cudaStream_t stream) {
  constexpr int kWidth = 16 / sizeof(T);
  return launch_elements(where_pack_kernel<T>, n, kWidth, {{c, kWidth}, {a, 16}, {b, 16}, {y, 16}},
                         stream, kBestLaunch, c, a, b, y, n);
}

template <class T>
cudaError_t where(const Byte* c, const T* a, const T* b, T* y, std::int64_t n,
                  cudaStream_t stream) {
  const bool packs =
      is_aligned(c, 16 / sizeof(T)) && is_aligned(a, 16) && is_aligned(b, 16) && is_aligned(y, 16);
  if (packs) return where_pack(c, a, b, y, n, stream);
  return launch_any_address<16 / sizeof(T)>(OnElements<T, Choose>{}, y, n, stream, kBestLaunch, c,
                                            a, b);
}

#define TUTORIAL_INSTANTIATE(T)                                                                  \
  template cudaError_t relation_strided(RelationOp, const Broadcast&, const T*, const T*, Byte*, \
                                        cudaStream_t);                                           \
  template cudaError_t where_naive(const Byte*, const T*, const T*, T*, std::int64_t,            \
                                   cudaStream_t);                                                \
  template cudaError_t where_pack(const Byte*, const T*, const T*, T*, std::int64_t,             \
                                  cudaStream_t);                                                 \
  template cudaError_t where(const Byte*, const T*, const T*, T*, std::int64_t, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE
template cudaError_t relation_strided(RelationOp, const Broadcast&, const std::int32_t*,
                                      const std::int32_t*, Byte*, cudaStream_t);

}  // namespace tutorial
