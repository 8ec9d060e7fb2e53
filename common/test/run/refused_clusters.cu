// refused: {here}: clusters: the executor runs blocks one by one; leave __cluster_dims__ away
__global__ void __cluster_dims__(2, 1, 1) kernel(int* x) { x[0] = 1; }  // here

int main() { kernel<<<2, 1>>>(nullptr); }
