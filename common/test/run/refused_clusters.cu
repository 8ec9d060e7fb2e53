// refused: {here}: __cluster_dims__: leave it away, and launch by cudaLaunchKernelEx with the attribute cudaLaunchAttributeClusterDimension
__global__ void __cluster_dims__(2, 1, 1) kernel(int* x) { x[0] = 1; }  // here

int main() { kernel<<<2, 1>>>(nullptr); }
