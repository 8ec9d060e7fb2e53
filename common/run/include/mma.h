#error "the CPU executor has no tensor cores: wmma is not here"
