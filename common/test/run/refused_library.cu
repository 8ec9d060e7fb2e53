// refused: {here}: thrust/sort.h: the CPU executor runs kernels, and no libraries
#include <thrust/sort.h>  // here

int main() {}
