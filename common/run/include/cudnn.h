#error "the CPU executor runs kernels, and no libraries: cuDNN is not here"
