// refused: {here}: the CPU executor has no tensor cores: wmma is not here
#include <mma.h>
using namespace nvcuda;

__global__ void multiply() {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;  // here
  wmma::fill_fragment(sum, 0.0f);
}

int main() { multiply<<<1, 32>>>(); }
