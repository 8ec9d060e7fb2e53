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

template <int VecSize, class Layout, class Data>
__global__ void __launch_bounds__(kMostThreads)
    data_index_kernel(std::int64_t block_offset, std::int64_t* registers) {
  std::int64_t x[VecSize];
  InitWithDataIndex<Data, Layout>(x, block_offset);
  dump(registers, x);
}

template <int NX, int NY, bool IsBoundary>
__global__ void __launch_bounds__(kMostThreads)
    read_write_strided_kernel(const float* src, float* dst, float* registers, Window from,
                              Window to) {
  float x[NY][NX];
  Init(x, -1);
  ReadData<IsBoundary>(x, src, from.size_nx, from.size_ny, from.stride_nx, from.stride_ny);
#pragma unroll
  for (int y = 0; y < NY; ++y) dump(registers, x[y], y * NX);
  WriteData<IsBoundary>(dst, x, to.size_nx, to.size_ny, to.stride_nx, to.stride_ny);
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

struct TwicePlusOne {
  __device__ float operator()(float x) const { return 2.0f * x + 1.0f; }
};

template <int VecSize, bool IsBoundary, class Layout, class Map>
__global__ void __launch_bounds__(kMostThreads)
    read_reduce_kernel(const float* src, std::uint32_t offset, Map reduced, std::int64_t num,
                       float* registers) {
  float x[VecSize];
  Init(x, -1);
  ReadDataReduce<IsBoundary, Layout>(x, src, offset, reduced, num, TwicePlusOne{});
  dump(registers, x);
}

template <int NX, int NY, bool IsBoundary, class Kept, class Reduced>
__global__ void __launch_bounds__(kMostThreads)
    read_reduce_2d_kernel(const float* src, std::uint32_t kept_offset, Kept kept,
                          std::uint32_t reduced_offset, Reduced reduced, std::int64_t size_nx,
                          std::int64_t size_ny, float* registers) {
  float x[NY][NX];
  Init(x, -1);
  ReadDataReduce<IsBoundary>(x, src, kept_offset, kept, reduced_offset, reduced, size_nx, size_ny,
                             TwicePlusOne{});
#pragma unroll
  for (int y = 0; y < NY; ++y) dump(registers, x[y], y * NX);
}

// ---- Computing --------------------------------------------------------------------------------

struct PrefixSums {
  template <int N>
  __device__ void operator()(float (&out)[N], const float (&in)[N], std::int64_t num) const {
    float sum = static_cast<float>(num);
    for (int k = 0; k < N; ++k) out[k] = sum += in[k];
  }
};
struct MirroredMinus {
  template <int N>
  __device__ void operator()(float (&out)[N], const float (&a)[N], const float (&b)[N],
                             std::int64_t num) const {
    for (int k = 0; k < N; ++k) out[k] = k < num ? a[N - 1 - k] - b[k] : 0.0f;
  }
};

template <int VecSize>
__global__ void compute_kernel(const float* in_a, const float* in_b, const float* in_c,
                               std::int64_t num, float* results) {
  float a[VecSize], b[VecSize], c[VecSize], out[VecSize];
  int whole[VecSize];
  load(a, in_a);
  load(b, in_b);
  load(c, in_c);
  ElementwiseConstant(out, [] { return 2.5f; });
  dump(results, out, 0 * VecSize);
  ElementwiseUnary(out, a, [](float x) { return 2.0f * x; });
  dump(results, out, 1 * VecSize);
  ElementwiseBinary(out, a, b, SubFunctor<float>{});
  dump(results, out, 2 * VecSize);
  ElementwiseTernary(out, a, b, c, [](float x, float y, float z) { return x * y + z; });
  dump(results, out, 3 * VecSize);
  ElementwiseAny(
      out, [](float x, float y, float z) { return x - y / 4.0f + 3.0f * z; }, a, b, c);
  dump(results, out, 4 * VecSize);
  ElementwiseAny(out, [] { return 7.0f; });
  dump(results, out, 5 * VecSize);
  OperatorBinary(out, a, PrefixSums{}, num);
  dump(results, out, 6 * VecSize);
  OperatorTernary(out, a, b, MirroredMinus{}, VecSize);
  dump(results, out, 7 * VecSize);
  ElementwiseBinary(whole, a, b, [](float x, float y) { return x / 4.0f + y; });
  dump(results, whole, 8 * VecSize);
  ElementwiseUnary(a, a, SquareFunctor<float>{});
  dump(results, a, 9 * VecSize);
}

template <int NX, int NY>
__global__ void compute_2d_kernel(const float* in_cycle, const float* in, float* results) {
  float cycle[NX], x[NY][NX], cycled[NY][NX], out[NY][NX];
  for (int i = 0; i < NX; ++i) cycle[i] = in_cycle[i];
  for (int j = 0; j < NY; ++j) {
    for (int i = 0; i < NX; ++i) {
      x[j][i] = in[j * NX + i];
      cycled[j][i] = in_cycle[i];
    }
  }
  const auto write = [&](int result) {
    for (int j = 0; j < NY; ++j) {
      for (int i = 0; i < NX; ++i) results[(result * NY + j) * NX + i] = out[j][i];
    }
  };
  ElementwiseUnary(out, x, [](float v) { return -v; });
  write(0);
  ElementwiseBinary(out, x, cycled, SubFunctor<float>{});
  write(1);
  ElementwiseTernary(out, x, cycled, x, [](float u, float, float w) { return u * 2.0f + w; });
  write(2);
  CycleBinary(out, cycle, x, SubFunctor<float>{});
  write(3);
}

template <Functor F, class T>
__host__ __device__ T apply_one(T a, T b) {
  if constexpr (F == Functor::add) return AddFunctor<T>{}(a, b);
  if constexpr (F == Functor::sub) return SubFunctor<T>{}(a, b);
  if constexpr (F == Functor::mul) return MulFunctor<T>{}(a, b);
  if constexpr (F == Functor::max) return MaxFunctor<T>{}(a, b);
  if constexpr (F == Functor::min) return MinFunctor<T>{}(a, b);
  if constexpr (F == Functor::logical_and) return LogicalAndFunctor<T>{}(a, b);
  if constexpr (F == Functor::logical_or) return LogicalOrFunctor<T>{}(a, b);
  if constexpr (F == Functor::identity) return IdentityFunctor<T>{}(a);
  if constexpr (F == Functor::square) return SquareFunctor<T>{}(a);
  if constexpr (F == Functor::exp) return ExpFunctor<T>{}(a);
  if constexpr (!std::is_same_v<T, bool>) {
    if constexpr (F == Functor::div) return DivFunctor<T>{}(a, b);
    if constexpr (F == Functor::floor_div) return FloorDivFunctor<T>{}(a, b);
    if constexpr (F == Functor::divide) return DivideFunctor<T>{b}(a);
    if constexpr (F == Functor::inverse) return InverseFunctor<T>{}(a);
  }
  return a;
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
    case Functor::add:
      return f(FunctorTag<Functor::add>{});
    case Functor::sub:
      return f(FunctorTag<Functor::sub>{});
    case Functor::mul:
      return f(FunctorTag<Functor::mul>{});
    case Functor::div:
      return f(FunctorTag<Functor::div>{});
    case Functor::floor_div:
      return f(FunctorTag<Functor::floor_div>{});
    case Functor::max:
      return f(FunctorTag<Functor::max>{});
    case Functor::min:
      return f(FunctorTag<Functor::min>{});
    case Functor::logical_and:
      return f(FunctorTag<Functor::logical_and>{});
    case Functor::logical_or:
      return f(FunctorTag<Functor::logical_or>{});
    case Functor::exp:
      return f(FunctorTag<Functor::exp>{});
    case Functor::identity:
      return f(FunctorTag<Functor::identity>{});
    case Functor::square:
      return f(FunctorTag<Functor::square>{});
    case Functor::divide:
      return f(FunctorTag<Functor::divide>{});
    case Functor::inverse:
      break;
  }
  return f(FunctorTag<Functor::inverse>{});
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

template <class Data>
cudaError_t data_index(const Tile& tile, std::int64_t block_offset, std::int64_t* registers) {
  return with_vec(tile.vec, [&](auto vec) {
    return with_layout<ByType>(tile.layout, [&](auto layout) {
      return launch(data_index_kernel<decltype(vec)::value, decltype(layout), Data>,
                    one_block(tile.threads), nullptr, block_offset, registers);
    });
  });
}
template cudaError_t data_index<float>(const Tile&, std::int64_t, std::int64_t*);
template cudaError_t data_index<half>(const Tile&, std::int64_t, std::int64_t*);
template cudaError_t data_index<double>(const Tile&, std::int64_t, std::int64_t*);

cudaError_t read_write_strided(const Tile2d& tile, bool boundary, const float* src, float* dst,
                               float* registers, Window from, Window to) {
  return with_2d(tile.nx, tile.ny, [&](auto nx, auto ny) {
    return with_flag(boundary, [&](auto flag) {
      return launch(read_write_strided_kernel<decltype(nx)::value, decltype(ny)::value,
                                              decltype(flag)::value>,
                    one_block(tile.threads, tile.rows), nullptr, src, dst, registers, from, to);
    });
  });
}

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

cudaError_t read_reduce(const Tile& tile, bool boundary, const float* src, std::uint32_t offset,
                        const Box& reduced, std::int64_t num, float* registers) {
  return with_vec(tile.vec, [&](auto vec) {
    return with_layout<Striped>(tile.layout, [&](auto layout) {
      return with_flag(boundary, [&](auto flag) {
        return with_map(reduced, [&](auto map) {
          return launch(read_reduce_kernel<decltype(vec)::value, decltype(flag)::value,
                                           decltype(layout), decltype(map)>,
                        one_block(tile.threads), nullptr, src, offset, map, num, registers);
        });
      });
    });
  });
}

cudaError_t read_reduce_2d(const Tile2d& tile, bool boundary, const float* src,
                           std::uint32_t kept_offset, const Box& kept, std::uint32_t reduced_offset,
                           const Box& reduced, std::int64_t size_nx, std::int64_t size_ny,
                           float* registers) {
  if (kept.rank != 1 || reduced.rank != 2) return cudaErrorInvalidValue;
  const IndexMap<1> kept_map = map_of<1>(kept);
  const IndexMap<2> reduced_map = map_of<2>(reduced);
  return with_2d(tile.nx, tile.ny, [&](auto nx, auto ny) {
    return with_flag(boundary, [&](auto flag) {
      return launch(read_reduce_2d_kernel<decltype(nx)::value, decltype(ny)::value,
                                          decltype(flag)::value, IndexMap<1>, IndexMap<2>>,
                    one_block(tile.threads, tile.rows), nullptr, src, kept_offset, kept_map,
                    reduced_offset, reduced_map, size_nx, size_ny, registers);
    });
  });
}

cudaError_t compute(int vec, const float* a, const float* b, const float* c, std::int64_t num,
                    float* results) {
  return with_vec(vec, [&](auto n) {
    return launch(compute_kernel<decltype(n)::value>, one_block(32), nullptr, a, b, c, num,
                  results);
  });
}

cudaError_t compute_2d(int nx, int ny, const float* cycle, const float* in, float* results) {
  return with_2d(nx, ny, [&](auto kx, auto ky) {
    return launch(compute_2d_kernel<decltype(kx)::value, decltype(ky)::value>, one_block(1),
                  nullptr, cycle, in, results);
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
