// refused: {here}: the CPU executor has no barrier across a grid: split the kernel in two
#include <cooperative_groups.h>

__global__ void kernel(int* x) {
  x[0] = cooperative_groups::this_grid().size();
  cooperative_groups::this_grid().sync();  // here
}

int main() { kernel<<<1, 1>>>(nullptr); }
