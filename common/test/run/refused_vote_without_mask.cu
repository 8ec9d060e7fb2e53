// refused: {here}: __ballot is gone since compute capability 7.0: write __ballot_sync\(mask, ...\)
__global__ void kernel(unsigned* x) {
  x[0] = __ballot(1);  // here
}

int main() { kernel<<<1, 1>>>(nullptr); }
