# cmake [-DFETCH=ON] -P common/cmake/cuda_headers.cmake
# Exits 0 if NVIDIA's headers are here for the cpu backend; with FETCH, after fetching them if need be.
include("${CMAKE_CURRENT_LIST_DIR}/cuda.cmake")
tutorial_find_nvcc()
tutorial_find_cuda_headers(headers)
if(NOT headers AND FETCH)
  tutorial_fetch_cuda_headers(headers)
endif()
if(NOT headers)
  message(FATAL_ERROR "NVIDIA's headers are not here")
endif()
