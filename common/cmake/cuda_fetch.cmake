# cmake -DWHAT=headers|nvcc|nvdisasm [-DFETCH=ON] -P common/cmake/cuda_fetch.cmake
# Exits 0 if NVIDIA's headers, nvcc, or the disassembler, are here, and says where; with FETCH, after fetching them if need be.
include("${CMAKE_CURRENT_LIST_DIR}/cuda.cmake")
tutorial_find_nvcc(TUTORIAL_NVCC)
cmake_language(CALL tutorial_find_${WHAT} found)
if(NOT found AND FETCH)
  cmake_language(CALL tutorial_fetch_${WHAT} found)
  cmake_language(CALL tutorial_find_${WHAT} found)
endif()
if(NOT found)
  message(FATAL_ERROR "${WHAT}: not here")
endif()
message("${found}")
