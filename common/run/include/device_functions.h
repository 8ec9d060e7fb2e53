// nvcc's programs may include it; everything in it is there without.
