# tutorial_cccl: the headers of CUB for what is compared with it, newer than the toolkit's own. The toolkit
# ships the CCCL of its release day; NVIDIA publishes the newer ones on PyPI, and a peer is shown at its newest.
#
#   TUTORIAL_CCCL   auto     from .deps/cccl, fetched there by pip if need be; the toolkit's if that fails
#                   toolkit  the toolkit's own
#                   a folder with cub/version.cuh
set(TUTORIAL_CCCL_PYPI nvidia-cuda-cccl==13.3.5.0.6)  # CCCL 3.5.0
set(TUTORIAL_CCCL auto CACHE STRING "CUB's headers: auto (PyPI's, else the toolkit's), toolkit, or a folder")

# The folder with PyPI's headers, or "" where they cannot be fetched.
function(tutorial_fetch_cccl out)
  tutorial_lock_deps()
  string(REPLACE "==" "-" folder "${TUTORIAL_CCCL_PYPI}")
  file(GLOB found "${deps}/${folder}/nvidia/cu*/include/cccl")
  if(NOT found)
    tutorial_fetch_pypi("the newest CUB" ${folder} ${TUTORIAL_CCCL_PYPI} OPTIONAL)
    file(GLOB found "${deps}/${folder}/nvidia/cu*/include/cccl")
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
