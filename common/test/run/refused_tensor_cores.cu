// refused: {here}: the CPU executor has no tensor cores: wmma is not here
#include <mma.h>  // here

int main() {}
