#error "the CPU executor runs kernels, and no libraries: cuFFT is not here"
