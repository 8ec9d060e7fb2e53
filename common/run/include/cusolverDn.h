#error "the CPU executor runs kernels, and no libraries: cuSOLVER is not here"
