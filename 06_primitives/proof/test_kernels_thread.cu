// The primitives in which threads do not meet.
#include "06_primitives/proof/test_dispatch.cuh"

namespace tutorial::test {
namespace {

// ---- Reading and writing ----------------------------------------------------------------------

template <int VecSize, bool IsBoundary, class Layout, class Src, class Reg, class Dst>
__global__ void __launch_bounds__(kMostThreads)
    read_write_kernel(const Src* src, Dst* dst, Reg* registers, float initial, std::int64_t num) {
  Reg x[VecSize];
  Init(x, initial);
  ReadData<IsBoundary, Layout>(x, src, num);
  dump(registers, x);
  WriteData<IsBoundary, Layout>(dst, x, num);
}

template <int NX, int NY, bool IsBoundary>
__global__ void __launch_bounds__(kMostThreads)
    read_write_rows_kernel(const float* src, float* dst, float* registers, Window from, Window to) {
  float x[NY][NX];
  Init(x, -1);
  ReadData<IsBoundary>(x, src, from.size_nx, from.size_ny, from.stride_ny);
#pragma unroll
  for (int y = 0; y < NY; ++y) dump(registers, x[y], y * NX);
  WriteData<IsBoundary>(dst, x, to.size_nx, to.size_ny, to.stride_ny);
}

// ---- Through an index -------------------------------------------------------------------------

template <int Rank>
IndexMap<Rank> map_of(const Box& box) {
  std::int64_t extent[Rank];
  std::int64_t stride[Rank];
  for (int d = 0; d < Rank; ++d) {
    extent[d] = box.extent[d];
    stride[d] = box.stride[d];
  }
  return make_index_map<Rank>(extent, stride);
}

template <class F>
cudaError_t with_map(const Box& box, F f) {
  switch (box.rank) {
    case 1:
      return f(map_of<1>(box));
    case 2:
      return f(map_of<2>(box));
    case 3:
      return f(map_of<3>(box));
    default:
      return cudaErrorInvalidValue;
  }
}

template <class Map>
__global__ void index_offsets_kernel(Map map, const std::uint32_t* numbers, std::int64_t* offsets,
                                     std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) offsets[i] = map.offset(numbers[i]);
}

template <int VecSize, bool IsBoundary, class Layout, class Map>
__global__ void __launch_bounds__(kMostThreads)
    read_broadcast_kernel(const float* src, std::uint32_t block_offset, Map map, std::int64_t num,
                          float* registers) {
  float x[VecSize];
  Init(x, -1);
  ReadDataBc<IsBoundary, Layout>(x, src, block_offset, map, num);
  dump(registers, x);
}

// ---- Computing --------------------------------------------------------------------------------

template <int VecSize>
__global__ void compute_kernel(const float* in_a, const float* in_b, const float* in_c,
                               float* results) {
  float a[VecSize], b[VecSize], c[VecSize], out[VecSize];
  int whole[VecSize];
  load(a, in_a);
  load(b, in_b);
  load(c, in_c);
  ElementwiseUnary(out, a, [](float x) { return 2.0f * x; });
  dump(results, out, 0 * VecSize);
  ElementwiseBinary(out, a, b, [](float x, float y) { return x - y; });
  dump(results, out, 1 * VecSize);
  ElementwiseAny(
      out, [](float x, float y, float z) { return x - y / 4.0f + 3.0f * z; }, a, b, c);
  dump(results, out, 2 * VecSize);
  ElementwiseAny(out, [] { return 7.0f; });
  dump(results, out, 3 * VecSize);
  ElementwiseBinary(whole, a, b, [](float x, float y) { return x / 4.0f + y; });
  dump(results, whole, 4 * VecSize);
  ElementwiseUnary(a, a, [](float x) { return x * x; });
  dump(results, a, 5 * VecSize);
}

template <int NX, int NY>
__global__ void cycle_kernel(const float* in_cycle, const float* in, float* results) {
  float cycle[NX], x[NY][NX], out[NY][NX];
  for (int i = 0; i < NX; ++i) cycle[i] = in_cycle[i];
  for (int k = 0; k < NY * NX; ++k) x[k / NX][k % NX] = in[k];
  CycleBinary(out, cycle, x, [](float a, float b) { return a - b; });
  for (int k = 0; k < NY * NX; ++k) results[k] = out[k / NX][k % NX];
}

template <Functor F, class T>
__host__ __device__ T apply_one(T a, T b) {
  if constexpr (F == Functor::add) return AddFunctor<T>{}(a, b);
  if constexpr (F == Functor::mul) return MulFunctor<T>{}(a, b);
  if constexpr (F == Functor::max) return MaxFunctor<T>{}(a, b);
  if constexpr (F == Functor::min) return MinFunctor<T>{}(a, b);
  if constexpr (F == Functor::logical_and) return LogicalAndFunctor<T>{}(a, b);
  if constexpr (F == Functor::logical_or) return LogicalOrFunctor<T>{}(a, b);
}

template <Functor F, class T>
__global__ void apply_kernel(const T* a, const T* b, T* out, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = apply_one<F>(a[i], b[i]);
}

template <Functor F>
using FunctorTag = std::integral_constant<Functor, F>;

template <class R, class F>
R with_functor(Functor functor, F f) {
  switch (functor) {
    case Functor::mul:
      return f(FunctorTag<Functor::mul>{});
    case Functor::max:
      return f(FunctorTag<Functor::max>{});
    case Functor::min:
      return f(FunctorTag<Functor::min>{});
    case Functor::logical_and:
      return f(FunctorTag<Functor::logical_and>{});
    case Functor::logical_or:
      return f(FunctorTag<Functor::logical_or>{});
    default:
      return f(FunctorTag<Functor::add>{});
  }
}

template <class T>
__global__ void convert_kernel(const double* in, T* out) {
  out[threadIdx.x] = Convert<T>(in[threadIdx.x]);
}

template <class T, class Op>
__global__ void identity_kernel(T* out) {
  *out = Op::identity();
}

}  // namespace

template <class Src, class Reg, class Dst>
cudaError_t read_write(const Tile& tile, bool boundary, const Src* src, Dst* dst, Reg* registers,
                       float initial, std::int64_t num) {
  return with_vec(tile.vec, [&](auto vec) {
    return with_layout<Interleaved<Src, Dst>>(tile.layout, [&](auto layout) {
      return with_flag(boundary, [&](auto flag) {
        return launch(read_write_kernel<decltype(vec)::value, decltype(flag)::value,
                                        decltype(layout), Src, Reg, Dst>,
                      one_block(tile.threads), nullptr, src, dst, registers, initial, num);
      });
    });
  });
}
template cudaError_t read_write(const Tile&, bool, const float*, float*, float*, float,
                                std::int64_t);
template cudaError_t read_write(const Tile&, bool, const half*, half*, float*, float, std::int64_t);
template cudaError_t read_write(const Tile&, bool, const half*, float*, half*, float, std::int64_t);
template cudaError_t read_write(const Tile&, bool, const std::int8_t*, std::int8_t*, std::int32_t*,
                                float, std::int64_t);
template cudaError_t read_write(const Tile&, bool, const double*, double*, double*, float,
                                std::int64_t);

cudaError_t read_write_rows(const Tile2d& tile, bool boundary, const float* src, float* dst,
                            float* registers, Window from, Window to) {
  return with_2d(tile.nx, tile.ny, [&](auto nx, auto ny) {
    return with_flag(boundary, [&](auto flag) {
      return launch(
          read_write_rows_kernel<decltype(nx)::value, decltype(ny)::value, decltype(flag)::value>,
          one_block(tile.threads, tile.rows), nullptr, src, dst, registers, from, to);
    });
  });
}

cudaError_t index_offsets(const Box& box, const std::uint32_t* numbers, std::int64_t* offsets,
                          std::int64_t n) {
  return with_map(box, [&](auto map) {
    return launch(index_offsets_kernel<decltype(map)>, {grid_1d(n, kThreads), dim3(kThreads)},
                  nullptr, map, numbers, offsets, n);
  });
}

cudaError_t read_broadcast(const Tile& tile, bool boundary, const float* src,
                           std::uint32_t block_offset, const Box& box, std::int64_t num,
                           float* registers) {
  return with_vec(tile.vec, [&](auto vec) {
    return with_layout<ByType>(tile.layout, [&](auto layout) {
      return with_flag(boundary, [&](auto flag) {
        return with_map(box, [&](auto map) {
          return launch(read_broadcast_kernel<decltype(vec)::value, decltype(flag)::value,
                                              decltype(layout), decltype(map)>,
                        one_block(tile.threads), nullptr, src, block_offset, map, num, registers);
        });
      });
    });
  });
}

cudaError_t compute(int vec, const float* a, const float* b, const float* c, float* results) {
  return with_vec(vec, [&](auto n) {
    return launch(compute_kernel<decltype(n)::value>, one_block(32), nullptr, a, b, c, results);
  });
}

cudaError_t cycle(int nx, int ny, const float* row, const float* in, float* results) {
  return with_2d(nx, ny, [&](auto kx, auto ky) {
    return launch(cycle_kernel<decltype(kx)::value, decltype(ky)::value>, one_block(1), nullptr,
                  row, in, results);
  });
}

template <class T>
cudaError_t apply(Functor functor, const T* a, const T* b, T* out, std::int64_t n) {
  return with_functor<cudaError_t>(functor, [&](auto tag) {
    return launch(apply_kernel<decltype(tag)::value, Real<T>>,
                  {grid_1d(n, kThreads), dim3(kThreads)}, nullptr, real(a), real(b), real(out), n);
  });
}
template <class T>
T apply_on_host(Functor functor, T a, T b) {
  return with_functor<T>(functor, [&](auto tag) {
    return static_cast<T>(
        apply_one<decltype(tag)::value>(static_cast<Real<T>>(a), static_cast<Real<T>>(b)));
  });
}
template <class T>
cudaError_t convert(const double* in, T* out, unsigned n) {
  return launch(convert_kernel<T>, one_block(n), nullptr, in, out);
}
template cudaError_t convert(const double*, half*, unsigned);
template cudaError_t convert(const double*, __nv_bfloat16*, unsigned);

template <class T>
cudaError_t identity_of(Functor functor, T* out) {
  return with_reducer<Real<T>, cudaError_t>(functor, [&](auto op) {
    return launch(identity_kernel<Real<T>, decltype(op)>, one_block(1), nullptr, real(out));
  });
}
template <class T>
T identity_on_host(Functor functor) {
  return with_reducer<Real<T>, T>(functor,
                                  [](auto op) { return static_cast<T>(decltype(op)::identity()); });
}

#define TUTORIAL_INSTANTIATE(T)                                              \
  template cudaError_t apply(Functor, const T*, const T*, T*, std::int64_t); \
  template T apply_on_host(Functor, T, T);                                   \
  template cudaError_t identity_of(Functor, T*);                             \
  template T identity_on_host<T>(Functor)
TUTORIAL_INSTANTIATE(float);
TUTORIAL_INSTANTIATE(double);
TUTORIAL_INSTANTIATE(half);
TUTORIAL_INSTANTIATE(__nv_bfloat16);
TUTORIAL_INSTANTIATE(std::int8_t);
TUTORIAL_INSTANTIATE(std::int32_t);
TUTORIAL_INSTANTIATE(std::uint32_t);
TUTORIAL_INSTANTIATE(std::int64_t);
TUTORIAL_INSTANTIATE(unsigned char);
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::test
