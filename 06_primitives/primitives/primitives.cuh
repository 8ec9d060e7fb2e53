// The library of this chapter: block-level primitives, from which its kernels are put together.
//
//     float a[4], b[4];
//     Init(a, 1.0f);
//     Init(b, 1.0f);
//     ReadData<IsBoundary>(a, in0 + offset, n - offset);
//     ReadData<IsBoundary>(b, in1 + offset, n - offset);
//     ElementwiseBinary(a, a, b, AddFunctor<float>{});
//     WriteData<IsBoundary>(out + offset, a, n - offset);
//
// | header            | primitives                                                             |
// |-------------------|------------------------------------------------------------------------|
// | layout.cuh        | Adjacent, Interleaved<T...>, Striped; ElementIndex, Convert, Rearrange |
// | read_write.cuh    | Init, ReadData, ReadDataBc, WriteData                                  |
// | compute.cuh       | ElementwiseUnary, ElementwiseBinary, ElementwiseAny, CycleBinary       |
// | reduce.cuh        | Reduce: kLocalMode, kGlobalMode                                        |
// | scan.cuh          | Cumsum                                                                 |
// | sort.cuh          | Sort, with and without indices                                         |
// | functors.cuh      | AddFunctor, MaxFunctor and others that reduce, with their identities   |
//
// Rules that hold for all of them:
// - Tile and registers. A block works on one tile at a time. A thread holds VecSize elements of it
//   in an array, which is passed by reference, so its type and size are deduced. All loops over the
//   array are unrolled, so that it stays in registers.
// - IsBoundary. `false` promises a full tile and an aligned base, and gives 16-byte accesses;
//   `true` promises neither, and touches the first num elements only (read_write.cuh).
// - Layout. Which element a register holds. One kernel, one layout: where the types differ in size,
//   name them all, Interleaved<half, float>.
// - All threads call. Reduce<kGlobalMode>, Cumsum, Sort and Rearrange have barriers: all threads of
//   the block call them, in the same order, those beyond the tail too. They own their shared
//   memory, and a call may follow another at once.
// - 64 bits for counts of elements and offsets into memory; 32 bits within a tile.
#pragma once

#include "06_primitives/primitives/compute.cuh"
#include "06_primitives/primitives/functors.cuh"
#include "06_primitives/primitives/layout.cuh"
#include "06_primitives/primitives/read_write.cuh"
#include "06_primitives/primitives/reduce.cuh"
#include "06_primitives/primitives/scan.cuh"
#include "06_primitives/primitives/sort.cuh"
