// The primitives in which the threads of a block meet.
#include "06_primitives/proof/test_dispatch.cuh"

namespace tutorial::test {
namespace {

// ---- Reducing, scanning, sorting --------------------------------------------------------------

template <int VecSize, class T, class Op>
__global__ void reduce_local_kernel(const T* in, T* results) {
  T x[VecSize];
  load(x, in);
  results[this_thread()] = Reduce<kLocalMode>(x, Op{});
}

template <int NX, int NY, bool AlongX>
__global__ void reduce_local_2d_kernel(const float* in, float* results) {
  float x[NY][NX];
  for (int k = 0; k < NX * NY; ++k) x[k / NX][k % NX] = in[k];
  float out[AlongX ? NY : NX];
  Reduce<kLocalMode, AlongX ? Axis::x : Axis::y>(out, x, AddFunctor<float>{});
  for (int k = 0; k < (AlongX ? NY : NX); ++k) results[k] = out[k];
}

template <int VecSize, bool AlongX, class T, class Op>
__global__ void __launch_bounds__(kMostThreads)
    reduce_global_kernel(int calls, const T* in, T* results) {
  for (int c = 0; c < calls; ++c) {
    T x[VecSize];
    load(x, in, c * VecSize);
    if constexpr (VecSize == 1) {
      x[0] = Reduce < kGlobalMode, AlongX ? Axis::x : Axis::y > (x[0], Op{});
    } else {
      Reduce<kGlobalMode, AlongX ? Axis::x : Axis::y>(x, x, Op{});
    }
    dump(results, x, c * VecSize);
  }
}

template <int VecSize, class Layout, class T, class Op>
__global__ void __launch_bounds__(kMostThreads)
    cumsum_kernel(bool carried, int calls, const T* in, T* results, T* totals, Op op) {
  T carry = Op::identity();
  for (int c = 0; c < calls; ++c) {
    const std::int64_t tile = std::int64_t{blockDim.x} * VecSize;
    const std::int64_t first = (std::int64_t{blockDim.y} * c + threadIdx.y) * tile;
    T x[VecSize];
    Init(x, 0);
    ReadData<true, Layout>(x, in + first, tile);
    T total;
    if (carried) {
      total = carry = Cumsum<Layout>(x, x, op, carry);
    } else {
      total = Cumsum<Layout>(x, x, op);
    }
    WriteData<true, Layout>(results + first, x, tile);
    if (totals != nullptr) totals[c * all_threads() + this_thread()] = total;
  }
}

struct ComposeAffine {
  __host__ __device__ std::uint32_t operator()(std::uint32_t first, std::uint32_t second) const {
    const std::uint32_t a0 = first >> 16, b0 = first & 0xffffU;
    const std::uint32_t a1 = second >> 16, b1 = second & 0xffffU;
    return (a0 * a1) << 16 | ((a1 * b0 + b1) & 0xffffU);
  }
  __host__ __device__ static std::uint32_t identity() { return 1U << 16; }
};

template <int VecSize, class Layout, bool Descending, int MaxThreads, bool WithIndex, class T>
__global__ void __launch_bounds__(MaxThreads == 32 ? kMostThreadsOfWarpRows : MaxThreads)
    sort_kernel(const std::int64_t* num, const T* keys, T* sorted, int* index) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const std::int64_t tile = std::int64_t{blockDim.x} * VecSize;
  T x[VecSize];
  Init(x, 0);
  ReadData<true, Layout>(x, keys + row * tile, num[row]);
  if constexpr (WithIndex) {
    int from[VecSize];
    Sort<Layout, Descending, MaxThreads>(x, from, num[row]);
    WriteData<true, Adjacent>(index + row * tile, from, num[row]);
  } else {
    Sort<Layout, Descending, MaxThreads>(x, num[row]);
  }
  WriteData<true, Adjacent>(sorted + row * tile, x, num[row]);
}

template <int VecSize, int MaxThreads, bool WithIndex, class T>
cudaError_t sort_with(const Tile& tile, int blocks, bool descending, const std::int64_t* num,
                      const T* keys, T* sorted, int* index) {
  const LaunchShape shape{dim3(static_cast<unsigned>(blocks)), dim3(tile.threads, tile.rows)};
  return with_flag(descending, [&](auto down) {
    // ByType has no meaning to Sort: there is no memory there.
    const auto launch_as = [&](auto layout) {
      return launch(
          sort_kernel<VecSize, decltype(layout), decltype(down)::value, MaxThreads, WithIndex, T>,
          shape, nullptr, num, keys, sorted, index);
    };
    if constexpr (std::is_same_v<T, float>) {
      if (tile.layout == TileLayout::adjacent) return launch_as(Adjacent{});
      if (tile.layout == TileLayout::striped) return launch_as(Striped{});
    }
    return launch_as(Interleaved<T>{});
  });
}

template <int VecSize, class From, class To, class T>
__global__ void __launch_bounds__(kMostThreads) rearrange_kernel(const T* in, T* out) {
  for (int call = 0; call < 2;
       ++call) {  // the second call's writes must not meet the first's reads
    T x[VecSize];
    load(x, in, call * VecSize);
    Rearrange<From, To, (VecSize * sizeof(T) > 32 ? 512 : 1024)>(x);
    dump(out, x, call * VecSize);
  }
}

}  // namespace

template <class T>
cudaError_t reduce_local(int vec, Functor functor, const T* in, T* results, unsigned threads) {
  return with_vec(vec, [&](auto n) {
    constexpr int kVec = decltype(n)::value;
    return functor == Functor::max ? launch(reduce_local_kernel<kVec, T, MaxFunctor<T>>,
                                            one_block(threads), nullptr, in, results)
                                   : launch(reduce_local_kernel<kVec, T, AddFunctor<T>>,
                                            one_block(threads), nullptr, in, results);
  });
}
template cudaError_t reduce_local(int, Functor, const float*, float*, unsigned);
template cudaError_t reduce_local(int, Functor, const half*, half*, unsigned);
template cudaError_t reduce_local(int, Functor, const std::int32_t*, std::int32_t*, unsigned);

cudaError_t reduce_local_2d(int nx, int ny, bool along_x, const float* in, float* results) {
  return with_2d(nx, ny, [&](auto kx, auto ky) {
    return with_flag(along_x, [&](auto flag) {
      return launch(
          reduce_local_2d_kernel<decltype(kx)::value, decltype(ky)::value, decltype(flag)::value>,
          one_block(1), nullptr, in, results);
    });
  });
}

template <class T>
cudaError_t reduce_global(const Tile& tile, bool along_x, Functor functor, int calls, const T* in,
                          T* results) {
  const auto launch_as = [&](auto vec, auto flag) {
    return with_reducer<Real<T>, cudaError_t>(functor, [&](auto op) {
      return launch(
          reduce_global_kernel<decltype(vec)::value, decltype(flag)::value, Real<T>, decltype(op)>,
          one_block(tile.threads, tile.rows), nullptr, calls, real(in), real(results));
    });
  };
  return with_flag(along_x, [&](auto flag) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, std::int32_t>) {
      return with_vec(tile.vec, [&](auto vec) { return launch_as(vec, flag); });
    } else {
      return launch_as(Number<2>{}, flag);
    }
  });
}

template <class T>
cudaError_t cumsum(const Tile& tile, bool carried, int calls, const T* in, T* results, T* totals) {
  return with_vec(tile.vec, [&](auto vec) {
    const auto launch_as = [&](auto layout) {
      return launch(cumsum_kernel<decltype(vec)::value, decltype(layout), T, AddFunctor<T>>,
                    one_block(tile.threads, tile.rows), nullptr, carried, calls, in, results,
                    totals, AddFunctor<T>{});
    };
    if (tile.layout == TileLayout::adjacent) return launch_as(Adjacent{});
    if (tile.layout == TileLayout::striped) return launch_as(Striped{});
    return launch_as(Interleaved<T>{});
  });
}
template cudaError_t cumsum(const Tile&, bool, int, const float*, float*, float*);
template cudaError_t cumsum(const Tile&, bool, int, const half*, half*, half*);
template cudaError_t cumsum(const Tile&, bool, int, const std::int32_t*, std::int32_t*,
                            std::int32_t*);
template cudaError_t cumsum(const Tile&, bool, int, const std::int64_t*, std::int64_t*,
                            std::int64_t*);

cudaError_t cumsum_affine(const Tile& tile, const std::uint32_t* in, std::uint32_t* results) {
  return with_vec(tile.vec, [&](auto vec) {
    const auto launch_as = [&](auto layout) {
      return launch(
          cumsum_kernel<decltype(vec)::value, decltype(layout), std::uint32_t, ComposeAffine>,
          one_block(tile.threads, tile.rows), nullptr, false, 1, in, results, nullptr,
          ComposeAffine{});
    };
    if (tile.layout == TileLayout::adjacent) return launch_as(Adjacent{});
    if (tile.layout == TileLayout::striped) return launch_as(Striped{});
    return launch_as(Interleaved<std::uint32_t>{});
  });
}
std::uint32_t compose_affine(std::uint32_t first, std::uint32_t second) {
  return ComposeAffine{}(first, second);
}

template <class T>
cudaError_t sort(const Tile& tile, int blocks, bool descending, bool whole, const std::int64_t* num,
                 const T* keys, T* sorted, int* index) {
  const auto launch_as = [&](auto vec, auto max_threads) {
    return with_flag(index != nullptr, [&](auto with_index) {
      return sort_with<decltype(vec)::value, decltype(max_threads)::value,
                       decltype(with_index)::value>(tile, blocks, descending, num, real(keys),
                                                    real(sorted), index);
    });
  };
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, half>) {
    if (whole) {
      if (tile.vec == 16) return launch_as(Number<16>{}, Number<32>{});
      return tile.vec == 32 ? launch_as(Number<32>{}, Number<32>{}) : cudaErrorInvalidValue;
    }
    return with_vec(tile.vec, [&](auto vec) { return launch_as(vec, Number<1024>{}); });
  } else {
    return whole || tile.vec != 4 ? cudaErrorInvalidValue : launch_as(Number<4>{}, Number<1024>{});
  }
}

template <class T>
cudaError_t rearrange(const Tile& tile, TileLayout to, const T* in, T* out) {
  return with_vec(tile.vec, [&](auto vec) {
    return with_layout<Interleaved<T>>(tile.layout, [&](auto from_layout) {
      return with_layout<Interleaved<T>>(to, [&](auto to_layout) {
        using From = std::conditional_t<std::is_same_v<decltype(from_layout), ByType>,
                                        Interleaved<T>, decltype(from_layout)>;
        using To = std::conditional_t<std::is_same_v<decltype(to_layout), ByType>, Interleaved<T>,
                                      decltype(to_layout)>;
        return launch(rearrange_kernel<decltype(vec)::value, From, To, T>,
                      one_block(tile.threads, tile.rows), nullptr, in, out);
      });
    });
  });
}
template cudaError_t rearrange(const Tile&, TileLayout, const float*, float*);
template cudaError_t rearrange(const Tile&, TileLayout, const half*, half*);
template cudaError_t rearrange(const Tile&, TileLayout, const std::int8_t*, std::int8_t*);
template cudaError_t rearrange(const Tile&, TileLayout, const double*, double*);

#define TUTORIAL_INSTANTIATE(T)                                                      \
  template cudaError_t reduce_global(const Tile&, bool, Functor, int, const T*, T*); \
  template cudaError_t sort(const Tile&, int, bool, bool, const std::int64_t*, const T*, T*, int*)
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
