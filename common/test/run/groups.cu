// Cooperative groups: blocks, tiles, coalesced threads, reductions and scans.
// prints: block sum 496, tiles of 4
// check: clean
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "expect.h"

namespace cg = cooperative_groups;

struct Result {
  int block_sum, tile_size, tile_rank, tile_count, tile_sum, most, ballot, before, first_of_odd,
      odd_count, any_size;
};

__device__ int sum(cg::thread_group group, int* scratch, int value) {
  const int rank = group.thread_rank();
  for (int half = group.size() / 2; half > 0; half /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < half) value += scratch[rank + half];
    group.sync();
  }
  return value;
}

__global__ void groups(const int* in, Result* out) {
  __shared__ int staged[32], scratch[32];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, staged, in, sizeof(int) * 32);
  cg::wait(block);
  const int value = staged[block.thread_rank()];
  Result mine = {};
  mine.block_sum = sum(block, scratch, value);

  cg::thread_block_tile<4> tile = cg::tiled_partition<4>(block);
  mine.tile_size = tile.size();
  mine.tile_rank = tile.meta_group_rank();
  mine.tile_count = tile.meta_group_size();
  mine.tile_sum = cg::reduce(tile, value, cg::plus<int>());
  mine.most = cg::reduce(tile, value, cg::greater<int>());
  mine.ballot = tile.ballot(value % 2);
  mine.before = cg::exclusive_scan(tile, value, cg::plus<int>());
  const double3 moved = tile.shfl(make_double3(value, 0, -value), 2);
  if (moved.z != -tile.shfl(value, 2)) mine.before = -1;

  if (value % 2 == 1) {
    cg::coalesced_group odd = cg::coalesced_threads();
    mine.first_of_odd = odd.shfl(value, 0);
    mine.odd_count = cg::reduce(odd, 1, cg::plus<int>()) == odd.size() ? odd.size() : -1;
  }
  cg::thread_group any = cg::tiled_partition(block, 8);
  any.sync();
  mine.any_size = any.size();
  out[block.thread_rank()] = mine;
}

/// Three structs, aligned as their elements are.
struct Four {
  int of[4];
};
__global__ void structs(const int* in, int* out) {
  __shared__ int staged[13];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, (Four*)(staged + 1), (const Four*)(in + 1), sizeof(Four) * 3);
  cg::wait(block);
  if (block.thread_rank() < 12) out[block.thread_rank()] = staged[1 + block.thread_rank()];
}

int main() {
  int host[32], *in;
  Result results[32], *out;
  for (int i = 0; i < 32; ++i) host[i] = i;
  EXPECT(cudaMalloc(&in, sizeof host) == cudaSuccess);
  EXPECT(cudaMalloc(&out, sizeof results) == cudaSuccess);
  EXPECT(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
  groups<<<1, 32>>>(in, out);
  EXPECT(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost) == cudaSuccess);
  int of_structs[12];
  structs<<<1, 32>>>(in, (int*)out);
  EXPECT(cudaMemcpy(of_structs, out, sizeof of_structs, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < 12; ++i) EXPECT(of_structs[i] == i + 1);
  for (int i = 0; i < 32; ++i) {
    const Result& is = results[i];
    const int first = i / 4 * 4;
    EXPECT(is.tile_size == 4 && is.tile_rank == i / 4 && is.tile_count == 8);
    EXPECT(is.tile_sum == 4 * first + 6 && is.most == first + 3 && is.ballot == 0b1010);
    EXPECT(is.before == i * (i - 1) / 2 - first * (first - 1) / 2);
    EXPECT(is.first_of_odd == (i % 2 ? 1 : 0) && is.odd_count == (i % 2 ? 16 : 0));
    EXPECT(is.any_size == 8);
  }
  EXPECT(cudaFree(in) == cudaSuccess && cudaFree(out) == cudaSuccess);
  std::printf("block sum %d, tiles of %d\n", results[0].block_sum, results[0].tile_size);
  return wrong_count;
}
