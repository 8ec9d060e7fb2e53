# tutorial_cccl: the headers of CUB for what is compared with it, newer than the toolkit's own. The toolkit
# ships the CCCL of its release day; NVIDIA publishes the newer ones on PyPI, and a peer is shown at its newest.
#
#   TUTORIAL_CCCL   auto     from .deps/cccl, fetched there by pip if need be; the toolkit's if that fails
#                   toolkit  the toolkit's own
#                   a folder with cub/version.cuh
set(TUTORIAL_CCCL_PYPI nvidia-cuda-cccl==13.3.5.0.6)  # CCCL 3.5.0
set(TUTORIAL_CCCL auto CACHE STRING "CUB's headers: auto (PyPI's, else the toolkit's), toolkit, or a folder")

# The folder with PyPI's headers, or "" where they cannot be fetched. They arrive under another name and are
# renamed at the end.
function(tutorial_fetch_cccl out)
  tutorial_lock_deps()
  string(REPLACE "==" "-" folder "${deps}/${TUTORIAL_CCCL_PYPI}")
  file(GLOB found "${folder}/nvidia/cu*/include/cccl")
  if(NOT found)
    message(STATUS "tutorial: fetching the newest CUB from PyPI into ${folder}: ${TUTORIAL_CCCL_PYPI}")
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -E env PIP_ROOT_USER_ACTION=ignore
              python3 -m pip install --quiet --disable-pip-version-check --no-input --retries 1
              --no-deps --target "${folder}.arriving" ${TUTORIAL_CCCL_PYPI}
      RESULT_VARIABLE rc OUTPUT_QUIET ERROR_QUIET)
    if(rc EQUAL 0)
      file(RENAME "${folder}.arriving" "${folder}")
    endif()
    file(REMOVE_RECURSE "${folder}.arriving")
    file(GLOB found "${folder}/nvidia/cu*/include/cccl")
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

add_library(tutorial_cccl INTERFACE)
if(TUTORIAL_ON_GPU AND TUTORIAL_TESTS)
  set(cccl "${TUTORIAL_CCCL}")
  if(cccl STREQUAL "auto")
    tutorial_fetch_cccl(cccl)
  elseif(cccl STREQUAL "toolkit")
    set(cccl "")
  endif()
  if(cccl)
    if(NOT EXISTS "${cccl}/cub/version.cuh")
      message(FATAL_ERROR "TUTORIAL_CCCL is '${TUTORIAL_CCCL}', which holds no cub/version.cuh: name a folder "
                          "that does, or auto, or toolkit.")
    endif()
    # Not SYSTEM: nvcc looks into its own folder first among those.
    target_include_directories(tutorial_cccl INTERFACE "${cccl}")
    message(STATUS "tutorial: CUB from ${cccl}")
  else()
    message(STATUS "tutorial: CUB is the toolkit's own")
  endif()
endif()
