# Finds what is here of CUDA. Used by the build, and by `cmake -P common/cmake/cuda_headers.cmake`.
#
#   tutorial_find_nvcc()          TUTORIAL_NVCC, TUTORIAL_NVCC_VERSION (both empty without a usable nvcc)
#   tutorial_gpu_architectures()  the compute capabilities of the GPUs that answer, such as "90"
#   tutorial_nvcc_architectures() those of our list that this nvcc knows
#   tutorial_find_cuda_headers()  a folder with NVIDIA's headers, or empty
#   tutorial_fetch_cuda_headers() the same from PyPI, into .deps/cuda-headers (into the build folder,
#                                 where the sources cannot be written)

set(TUTORIAL_CUDA_MINIMUM 12.4)
# One each of Turing, Ampere, Hopper, and the two Blackwell families.
set(TUTORIAL_ARCHITECTURES 75 80 90 100 120)
set(TUTORIAL_CODEGEN_ARCHITECTURES 90 CACHE STRING
    "Compute capabilities whose machine code the tests read; all: every one that the claims know")
# The headers for machines without a toolkit: these three packages hold all that the CPU backend includes.
set(TUTORIAL_CUDA_PYPI
    nvidia-cuda-runtime==13.0.96
    nvidia-cuda-crt==13.0.88
    nvidia-cuda-cccl==13.0.85)

# The repository's root, in script mode too (the folder of this file is common/cmake).
get_filename_component(TUTORIAL_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(TUTORIAL_DEPS "${TUTORIAL_ROOT}/.deps")
set(TUTORIAL_DEPS_CUDA "${TUTORIAL_DEPS}/cuda-headers")

# CMake itself looks on PATH, in CUDACXX and in $CUDA_PATH/bin, but not where NVIDIA's installer
# puts nvcc: /usr/local/cuda/bin.
function(tutorial_find_nvcc)
  set(nvcc "${CMAKE_CUDA_COMPILER}")
  if(NOT nvcc AND DEFINED ENV{CUDACXX})
    set(nvcc "$ENV{CUDACXX}")
  endif()
  if(NOT nvcc)
    find_program(nvcc_program nvcc NO_CACHE HINTS ENV CUDA_PATH ENV CUDA_HOME PATH_SUFFIXES bin)
    if(NOT nvcc_program)
      find_program(nvcc_program nvcc NO_CACHE PATHS /usr/local/cuda/bin /opt/cuda/bin NO_DEFAULT_PATH)
    endif()
    if(nvcc_program)
      set(nvcc "${nvcc_program}")
    endif()
  endif()
  set(version "")
  if(nvcc)
    execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE rc)
    if(rc EQUAL 0 AND text MATCHES "release ([0-9]+\\.[0-9]+)")
      set(version "${CMAKE_MATCH_1}")
    endif()
    if(NOT version)
      set(nvcc "")
    elseif(version VERSION_LESS TUTORIAL_CUDA_MINIMUM)
      message(STATUS "tutorial: ${nvcc} is CUDA ${version}; ${TUTORIAL_CUDA_MINIMUM} is the oldest "
                     "that is used here, so it is left aside")
      set(nvcc "")
      set(version "")
    endif()
  endif()
  set(TUTORIAL_NVCC "${nvcc}" PARENT_SCOPE)
  set(TUTORIAL_NVCC_VERSION "${version}" PARENT_SCOPE)
endfunction()

function(tutorial_gpu_architectures out)
  set(architectures "")
  find_program(nvidia_smi nvidia-smi NO_CACHE)
  if(nvidia_smi)
    execute_process(COMMAND "${nvidia_smi}" --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE rc)
    if(rc EQUAL 0)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${text}")
      foreach(capability IN LISTS capabilities)
        string(REPLACE "." "" architecture "${capability}")
        list(APPEND architectures "${architecture}")
      endforeach()
      list(REMOVE_DUPLICATES architectures)
    endif()
  endif()
  set(${out} "${architectures}" PARENT_SCOPE)
endfunction()

# `native` would be an error without a GPU, and nvcc's own default is one old architecture. A list
# entry that this nvcc does not know is left out (12.4 knows neither 100 nor 120).
function(tutorial_nvcc_architectures out)
  execute_process(COMMAND "${TUTORIAL_NVCC}" --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  set(architectures "")
  foreach(architecture IN LISTS ARGN)
    if(known MATCHES "compute_${architecture}[ \n\r]")
      list(APPEND architectures "${architecture}")
    endif()
  endforeach()
  set(${out} "${architectures}" PARENT_SCOPE)
endfunction()

# "" unless the folder holds the headers of a new enough CUDA.
function(tutorial_cuda_headers_version folder out)
  set(version "")
  if(EXISTS "${folder}/cuda_fp16.h" AND EXISTS "${folder}/cuda_runtime_api.h"
     AND EXISTS "${folder}/crt/host_defines.h")
    file(STRINGS "${folder}/cuda_runtime_api.h" line REGEX "#define +CUDART_VERSION +[0-9]+" LIMIT_COUNT 1)
    if(line MATCHES "CUDART_VERSION +([0-9]+)")
      math(EXPR major "${CMAKE_MATCH_1} / 1000")
      math(EXPR minor "${CMAKE_MATCH_1} % 1000 / 10")
      if(NOT "${major}.${minor}" VERSION_LESS TUTORIAL_CUDA_MINIMUM)
        set(version "${major}.${minor}")
      endif()
    endif()
  endif()
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

function(tutorial_find_cuda_headers out)
  set(candidates "")
  if(TUTORIAL_NVCC)
    get_filename_component(nvcc "${TUTORIAL_NVCC}" REALPATH)
    get_filename_component(bin "${nvcc}" DIRECTORY)
    get_filename_component(toolkit "${bin}" DIRECTORY)
    file(GLOB targets "${toolkit}/targets/*/include")
    list(APPEND candidates "${toolkit}/include" ${targets})
  endif()
  foreach(variable CUDA_PATH CUDA_HOME)
    if(NOT "$ENV{${variable}}" STREQUAL "")
      list(APPEND candidates "$ENV{${variable}}/include")
    endif()
  endforeach()
  file(GLOB pypi "${TUTORIAL_DEPS_CUDA}/nvidia/cu*/include"
                 "${CMAKE_BINARY_DIR}/.deps/cuda-headers/nvidia/cu*/include")
  list(APPEND candidates /usr/local/cuda/include /opt/cuda/include ${pypi} /usr/include)
  set(found "")
  foreach(candidate IN LISTS candidates)
    tutorial_cuda_headers_version("${candidate}" version)
    if(version)
      set(found "${candidate}")
      break()
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# Installs the headers where nothing but this repository sees them. They arrive under another name
# and are renamed at the end, so that an interrupted download is not taken for a complete one. Two
# builds that are configured at the same time take turns.
function(tutorial_fetch_cuda_headers out)
  set(${out} "" PARENT_SCOPE)
  set(deps "${TUTORIAL_DEPS}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E make_directory "${deps}" ERROR_QUIET)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E touch "${deps}/.lock" RESULT_VARIABLE rc ERROR_QUIET)
  if(NOT rc EQUAL 0)
    set(deps "${CMAKE_BINARY_DIR}/.deps")
    file(MAKE_DIRECTORY "${deps}")
  endif()
  file(LOCK "${deps}/.lock" GUARD FUNCTION RESULT_VARIABLE rc TIMEOUT 600)
  tutorial_find_cuda_headers(found)
  if(found)
    set(${out} "${found}" PARENT_SCOPE)
    return()
  endif()
  list(JOIN TUTORIAL_CUDA_PYPI " " packages)
  set(python "")
  foreach(candidate python3 /usr/bin/python3)
    execute_process(COMMAND "${candidate}" -m pip --version RESULT_VARIABLE rc OUTPUT_QUIET ERROR_QUIET)
    if(rc EQUAL 0)
      set(python "${candidate}")
      break()
    endif()
  endforeach()
  if(NOT python)
    message(FATAL_ERROR "No CUDA toolkit is here and python3 has no pip to fetch NVIDIA's headers "
                        "with: run ./tutorial setup, or install python3-pip.")
  endif()
  message(STATUS "tutorial: no CUDA toolkit (${TUTORIAL_CUDA_MINIMUM} or newer) here; fetching "
                 "NVIDIA's headers from PyPI into ${deps}/cuda-headers: ${packages}")
  set(arriving "${deps}/cuda-headers.arriving")
  file(REMOVE_RECURSE "${arriving}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env PIP_ROOT_USER_ACTION=ignore
            "${python}" -m pip install --quiet --disable-pip-version-check --no-input
            --retries 2 --no-deps --target "${arriving}" ${TUTORIAL_CUDA_PYPI}
    RESULT_VARIABLE rc ERROR_VARIABLE text OUTPUT_VARIABLE text)
  if(NOT rc EQUAL 0)
    file(REMOVE_RECURSE "${arriving}")
    message(STATUS "${text}")
    message(FATAL_ERROR "NVIDIA's headers could not be fetched from PyPI: check the network and try "
                        "again, or install a CUDA toolkit (${TUTORIAL_CUDA_MINIMUM} or newer), or name "
                        "a folder that has cuda_runtime.h by -DTUTORIAL_CUDA_INCLUDE_DIR=...")
  endif()
  file(REMOVE_RECURSE "${deps}/cuda-headers")
  file(RENAME "${arriving}" "${deps}/cuda-headers")
  tutorial_find_cuda_headers(found)
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
