#error "the CPU executor runs kernels, and no libraries: NCCL is not here"
