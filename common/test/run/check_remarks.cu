// What is worth a word and no fault: the exit code is the program's.
// exits: 0
// remark: remark: check_remarks.cu|remark: .*check_remarks.cu:{flag}: thread 1 of block 0 writes flag.*: undefined, though every thread writes the same value
// remark: check_remarks.cu:{large}: fill was not launched: cudaErrorInvalidConfiguration, and nobody asked
// remark: check_remarks.cu:{lost}: never_freed was never freed .128 bytes.
// remark: Nothing was found in 2 launches of 2 blocks: 3[0-9] accesses were watched

__global__ void raise_flag(int* flag) {
  *flag = 1;  // flag
}

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

__global__ void nothing() {}

int main() {
  int* never_freed;
  cudaMalloc(&never_freed, 32 * sizeof(int));  // lost
  raise_flag<<<1, 32>>>(never_freed);
  fill<<<1, 2048>>>(never_freed);  // large
  nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
}
