# The bindings to PyTorch: off unless asked for, so that nothing here needs PyTorch. They are built
# against the PyTorch of one Python, the first of these that has it: TUTORIAL_TORCH_PYTHON, the
# python3 that CMake found, the system's.
#
# That Python is asked for paths instead of find_package(Torch), whose configuration looks for a
# CUDA toolkit of PyTorch's own choice and fails where there is another, or none.
option(TUTORIAL_TORCH "Build the bindings to PyTorch (common/torch)" OFF)
set(TUTORIAL_TORCH_PYTHON "" CACHE FILEPATH "the Python whose PyTorch is bound to; empty: the first found")

if(TUTORIAL_TORCH AND TUTORIAL_SANITIZE)
  message(STATUS "tutorial: PyTorch is not built with the sanitizers, so its bindings are left out")
  set(TUTORIAL_TORCH OFF)
endif()

if(TUTORIAL_TORCH)
  if(TUTORIAL_TORCH_PYTHON)
    set(candidates "${TUTORIAL_TORCH_PYTHON}")
  else()
    set(candidates ${Python3_EXECUTABLE} python3 /usr/bin/python3)
  endif()
  foreach(python IN LISTS candidates)
    execute_process(COMMAND "${python}" -c
      "import os, torch; print(torch.__version__.split('+')[0], torch.version.cuda or 'none', int(torch._C._GLIBCXX_USE_CXX11_ABI), os.path.dirname(torch.__file__), sep=';', end='')"
      WORKING_DIRECTORY "${PROJECT_BINARY_DIR}" OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE rc)
    if(rc EQUAL 0)
      set(TUTORIAL_TORCH_INTERPRETER "${python}")
      break()
    endif()
  endforeach()
  if(NOT rc EQUAL 0)
    message(FATAL_ERROR "PyTorch is not installed for ${candidates}: install it (Debian, Ubuntu: "
                        "python3-torch and libtorch-dev; elsewhere: pip install torch), or set "
                        "TUTORIAL_TORCH_PYTHON to a Python that has it.")
  endif()
  list(GET answer 0 TUTORIAL_TORCH_VERSION)
  list(GET answer 1 torch_cuda)
  list(GET answer 2 torch_abi)
  list(GET answer 3 torch_folder)
  # A wheel brings its headers and libraries; Debian keeps them where it keeps everybody's.
  find_path(torch_include torch/library.h NO_CACHE REQUIRED NO_DEFAULT_PATH
            PATHS "${torch_folder}/include" "${torch_folder}/include/torch/csrc/api/include" /usr/include)
  set(torch_libraries "")
  set(torch_parts c10 torch_cpu)
  if(TUTORIAL_ON_GPU)
    if(torch_cuda STREQUAL "none")
      message(FATAL_ERROR "The PyTorch of ${TUTORIAL_TORCH_INTERPRETER} is built without CUDA: use the cpu backend, or "
                          "set TUTORIAL_TORCH_PYTHON to a Python whose PyTorch has CUDA.")
    endif()
    list(APPEND torch_parts c10_cuda)
  endif()
  foreach(part IN LISTS torch_parts)
    find_library(torch_${part} ${part} NO_CACHE REQUIRED PATHS "${torch_folder}/lib" NO_DEFAULT_PATH)
    list(APPEND torch_libraries "${torch_${part}}")
  endforeach()
  message(STATUS "tutorial: bindings to PyTorch ${TUTORIAL_TORCH_VERSION} (CUDA: ${torch_cuda}) of ${TUTORIAL_TORCH_INTERPRETER}")

  add_library(tutorial_torch OBJECT "${PROJECT_SOURCE_DIR}/common/torch/bind.cpp")
  set_target_properties(tutorial_torch PROPERTIES POSITION_INDEPENDENT_CODE ON
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(tutorial_torch SYSTEM PUBLIC
    "${torch_include}" "${torch_include}/torch/csrc/api/include")
  target_compile_definitions(tutorial_torch PUBLIC _GLIBCXX_USE_CXX11_ABI=${torch_abi})
  target_link_libraries(tutorial_torch PUBLIC tutorial_runtime ${torch_libraries})
  tutorial_flags(tutorial_torch)
  # PyTorch's templates are compiled in it, and a g++ may say of theirs what it says of nobody else's.
  target_compile_options(tutorial_torch PRIVATE -Wno-error)
endif()

# tutorial_torch_module(<target> <library> <source>): the bindings of a chapter, to be loaded into
# Python. The modules of several chapters, and of both backends, meet in one process, where the same
# names mean different code: nothing of them is visible from outside.
function(tutorial_torch_module target library source)
  add_library(${target} MODULE "${source}")
  target_link_libraries(${target} PRIVATE ${library} tutorial_torch)
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so"
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  tutorial_flags(${target})
endfunction()

# Why this build has no bindings, and what to do.
if(NOT TUTORIAL_TORCH)
  set(has_torch "")
  foreach(python IN ITEMS ${Python3_EXECUTABLE} /usr/bin/python3)
    execute_process(COMMAND "${python}" -c "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"
      WORKING_DIRECTORY "${PROJECT_BINARY_DIR}" OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE rc)
    if(rc EQUAL 0)
      set(has_torch "${python}")
      break()
    endif()
  endforeach()
  if(TUTORIAL_SANITIZE)
    set(tutorial_no_torch "PyTorch is not built with the sanitizers: another preset has the bindings' tests")
  elseif(has_torch)
    set(tutorial_no_torch "${has_torch} has PyTorch, but this build has no bindings to it: cmake -DTUTORIAL_TORCH=ON ${PROJECT_BINARY_DIR}, then build and test again")
  else()
    set(tutorial_no_torch "python3 has no PyTorch to bind to: install it (pip install torch, Debian and Ubuntu: apt-get install python3-torch libtorch-dev), then cmake -DTUTORIAL_TORCH=ON ${PROJECT_BINARY_DIR}")
  endif()
endif()

# tutorial_torch_test(<name> <label> <script>): a test that needs the bindings; Skipped, visibly and
# with the reason, where they are not built.
function(tutorial_torch_test name label script)
  if(NOT TUTORIAL_TORCH)
    add_test(NAME "${name}" COMMAND "${CMAKE_COMMAND}" -E echo "skipped: ${tutorial_no_torch}")
    set_tests_properties("${name}" PROPERTIES LABELS "${label}" SKIP_REGULAR_EXPRESSION "^skipped: ")
    return()
  endif()
  add_test(NAME "${name}" COMMAND "${TUTORIAL_TORCH_INTERPRETER}" "${script}" -v
           WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties("${name}" PROPERTIES LABELS "${label}" TIMEOUT ${tutorial_timeout} ENVIRONMENT
    "PYTHONDONTWRITEBYTECODE=1;TUTORIAL_TORCH_MODULES=${PROJECT_BINARY_DIR}")
  if(TUTORIAL_ON_GPU)
    set_tests_properties("${name}" PROPERTIES RESOURCE_LOCK gpu)
  endif()
endfunction()
