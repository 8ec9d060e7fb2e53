// How the programs about clusters launch.
#pragma once

#include <cuda_runtime.h>

template <class... Parameters, class... Arguments>
cudaError_t launch_clusters(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                            unsigned of_cluster, Arguments... arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = of_cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}
