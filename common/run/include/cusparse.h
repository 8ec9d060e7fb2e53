#error "the CPU executor runs kernels, and no libraries: cuSPARSE is not here"
