# Finds what is here of CUDA, and fetches what is not. Used by the build, and by
# `cmake -P common/cmake/cuda_fetch.cmake`.
#
#   tutorial_find_nvcc()          a usable nvcc, or empty; and TUTORIAL_NVCC_VERSION
#   tutorial_gpu_architectures()  the compute capabilities of the GPUs that answer, such as "90"
#   tutorial_nvcc_architectures() those of our list that this nvcc knows
#   tutorial_find_headers()       a folder with NVIDIA's headers, or empty
#   tutorial_fetch_headers()      the same from PyPI, into .deps/cuda-headers (into the build folder,
#                                 where the sources cannot be written)
#   tutorial_fetch_nvcc()         NVIDIA's compiler from PyPI, into .deps/cuda (./tutorial setup --nvcc)
#   tutorial_find_nvdisasm()      the disassembler, beside nvcc, on PATH, or fetched; or a false value
#   tutorial_fetch_nvdisasm()     the same from PyPI, into .deps/nvdisasm

set(TUTORIAL_CUDA_MINIMUM 12.4)
# One each of Turing, Ampere, Hopper, and the two Blackwell families.
set(TUTORIAL_ARCHITECTURES 75 80 90 100 120)
set(TUTORIAL_CODEGEN_ARCHITECTURES 90 CACHE STRING
    "Compute capabilities whose machine code the tests read; all: every one that the claims know")
# For machines without a toolkit: these three packages hold all that the CPU backend includes, and with
# the others they are a toolkit that compiles, assembles, links and disassembles. PyPI's first cuobjdump
# and nvdisasm are those of 13.2, which read the machine code of 13.0.
set(TUTORIAL_CUDA_PYPI
    nvidia-cuda-runtime==13.0.96
    nvidia-cuda-crt==13.0.88
    nvidia-cuda-cccl==13.0.85)
set(TUTORIAL_NVCC_PYPI
    nvidia-cuda-nvcc==13.0.88
    nvidia-nvvm==13.0.88
    nvidia-cuda-cuobjdump==13.2.51)
set(TUTORIAL_NVDISASM_PYPI
    nvidia-cuda-nvdisasm==13.2.51)

# The repository's root, in script mode too (the folder of this file is common/cmake).
get_filename_component(TUTORIAL_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(TUTORIAL_DEPS "${TUTORIAL_ROOT}/.deps")

# The one that is named, or else the first that is new enough. CMake itself looks on PATH, in CUDACXX and
# in $CUDA_PATH/bin, but not where NVIDIA's installer puts nvcc, /usr/local/cuda/bin, nor in .deps.
function(tutorial_find_nvcc out)
  set(candidates "${CMAKE_CUDA_COMPILER}")
  if(NOT candidates)
    set(candidates "$ENV{CUDACXX}")
  endif()
  if(NOT candidates)
    find_program(on_path nvcc NO_CACHE HINTS ENV CUDA_PATH ENV CUDA_HOME PATH_SUFFIXES bin)
    file(GLOB fetched "${TUTORIAL_DEPS}/cuda/nvidia/cu*/bin/nvcc")
    set(candidates ${on_path} /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc ${fetched})
  endif()
  set(${out} "" PARENT_SCOPE)
  set(TUTORIAL_NVCC_VERSION "" PARENT_SCOPE)
  foreach(nvcc IN LISTS candidates)
    execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE rc)
    if(NOT rc EQUAL 0 OR NOT text MATCHES "release ([0-9]+\\.[0-9]+)")
      continue()
    endif()
    if(CMAKE_MATCH_1 VERSION_LESS TUTORIAL_CUDA_MINIMUM)
      message(STATUS "tutorial: ${nvcc} is CUDA ${CMAKE_MATCH_1}; ${TUTORIAL_CUDA_MINIMUM} is the oldest "
                     "that is used here, so it is left aside")
    else()
      set(${out} "${nvcc}" PARENT_SCOPE)
      set(TUTORIAL_NVCC_VERSION "${CMAKE_MATCH_1}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

function(tutorial_gpu_architectures out)
  set(architectures "")
  find_program(nvidia_smi nvidia-smi NO_CACHE)
  if(nvidia_smi)
    execute_process(COMMAND "${nvidia_smi}" --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE rc)
    if(rc EQUAL 0)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${text}")
      string(REPLACE "." "" architectures "${capabilities}")
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

function(tutorial_find_headers out)
  set(candidates "")
  file(GLOB pypi "${TUTORIAL_DEPS}/cuda-headers/nvidia/cu*/include" "${TUTORIAL_DEPS}/cuda/nvidia/cu*/include"
                 "${CMAKE_BINARY_DIR}/.deps/cuda-headers/nvidia/cu*/include")
  # A compiler that is fetched later changes no build: its headers are those that were fetched before.
  if(TUTORIAL_NVCC AND NOT TUTORIAL_NVCC MATCHES "/\\.deps/cuda/")
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

# tutorial_fetch_pypi(<what> <folder> <package>... [OPTIONAL]): into .deps/<folder>, where nothing but this repository
# sees them, or the build folder's .deps, where the sources cannot be written. They arrive under another
# name and are renamed at the end, so that an interrupted download is not taken for a complete one. The
# caller holds the lock of `deps`. Packages that cannot be had are an error, unless they are optional.
function(tutorial_fetch_pypi what folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg OPTIONAL "" "")
  list(JOIN arg_UNPARSED_ARGUMENTS " " packages)
  set(python "")
  foreach(candidate python3 /usr/bin/python3)
    execute_process(COMMAND "${candidate}" -m pip --version RESULT_VARIABLE rc OUTPUT_QUIET ERROR_QUIET)
    if(rc EQUAL 0)
      set(python "${candidate}")
      break()
    endif()
  endforeach()
  if(NOT python AND NOT arg_OPTIONAL)
    message(FATAL_ERROR "No CUDA toolkit is here and python3 has no pip to fetch ${what} with: run "
                        "./tutorial setup, or install python3-pip.")
  endif()
  message(STATUS "tutorial: not here, or not with a CUDA toolkit (${TUTORIAL_CUDA_MINIMUM} or newer): "
                 "${what} from PyPI into ${deps}/${folder}: ${packages}")
  set(arriving "${deps}/${folder}.arriving")
  file(REMOVE_RECURSE "${arriving}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env PIP_ROOT_USER_ACTION=ignore
            "${python}" -m pip install --quiet --disable-pip-version-check --no-input
            --retries 2 --no-deps --target "${arriving}" ${arg_UNPARSED_ARGUMENTS}
    RESULT_VARIABLE rc ERROR_VARIABLE text OUTPUT_VARIABLE text)
  if(NOT rc EQUAL 0)
    file(REMOVE_RECURSE "${arriving}")
    message(STATUS "${text}")
    if(arg_OPTIONAL)
      return()
    endif()
    message(FATAL_ERROR "${what} could not be fetched from PyPI: check the network and try again, or install "
                        "a CUDA toolkit (${TUTORIAL_CUDA_MINIMUM} or newer).")
  endif()
  # A toolkit has its libraries in lib64, under the names that a linker looks for.
  file(GLOB roots "${arriving}/nvidia/cu*")
  foreach(root IN LISTS roots)
    file(CREATE_LINK lib "${root}/lib64" SYMBOLIC)
    file(GLOB runtime RELATIVE "${root}/lib" "${root}/lib/libcudart.so.*")
    if(runtime)
      file(CREATE_LINK "${runtime}" "${root}/lib/libcudart.so" SYMBOLIC)
    endif()
  endforeach()
  file(REMOVE_RECURSE "${deps}/${folder}")
  file(RENAME "${arriving}" "${deps}/${folder}")
endfunction()

# Sets `deps` in the calling function: .deps, or the build folder's where the sources cannot be written. Two
# builds that are configured at the same time take turns until that function's end.
macro(tutorial_lock_deps)
  set(deps "${TUTORIAL_DEPS}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E make_directory "${deps}" ERROR_QUIET)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E touch "${deps}/.lock" RESULT_VARIABLE rc ERROR_QUIET)
  if(NOT rc EQUAL 0)
    set(deps "${CMAKE_BINARY_DIR}/.deps")
    file(MAKE_DIRECTORY "${deps}")
  endif()
  file(LOCK "${deps}/.lock" GUARD FUNCTION RESULT_VARIABLE rc TIMEOUT 600)
endmacro()

function(tutorial_fetch_headers out)
  tutorial_lock_deps()
  tutorial_find_headers(found)
  if(NOT found)
    tutorial_fetch_pypi("NVIDIA's headers" cuda-headers ${TUTORIAL_CUDA_PYPI})
    tutorial_find_headers(found)
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

function(tutorial_fetch_nvcc)
  tutorial_lock_deps()
  tutorial_fetch_pypi("NVIDIA's compiler" cuda ${TUTORIAL_CUDA_PYPI} ${TUTORIAL_NVCC_PYPI} ${TUTORIAL_NVDISASM_PYPI})
endfunction()

function(tutorial_find_nvdisasm out)
  get_filename_component(nvcc "${TUTORIAL_NVCC}" REALPATH)
  get_filename_component(beside "${nvcc}" DIRECTORY)
  file(GLOB fetched "${TUTORIAL_DEPS}/*/nvidia/cu*/bin")
  unset(program)
  find_program(program nvdisasm NO_CACHE HINTS "${beside}" PATHS ${fetched})
  set(${out} "${program}" PARENT_SCOPE)
endfunction()

function(tutorial_fetch_nvdisasm)
  tutorial_lock_deps()
  tutorial_fetch_pypi("NVIDIA's disassembler" nvdisasm ${TUTORIAL_NVDISASM_PYPI})
endfunction()
