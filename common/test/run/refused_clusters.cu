// refused: {here}: __cluster_dims__: the CPU executor has clusters of blocks that are neighbours in x
__global__ void __cluster_dims__(1, 2, 1) kernel(int* x) { x[0] = 1; }  // here

int main() { kernel<<<dim3(1, 2), 1>>>(nullptr); }
