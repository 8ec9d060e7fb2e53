# cmake -P common/cmake/cuda_headers.cmake
# Prints the folder of NVIDIA's headers that the CPU backend would use; an empty line if it would
# have to fetch them.
include("${CMAKE_CURRENT_LIST_DIR}/cuda.cmake")
tutorial_find_nvcc()
tutorial_find_cuda_headers(headers)
execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${headers}")
