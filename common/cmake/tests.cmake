# How tests reach CTest.

# Everything that a test runs, and no benchmark.
add_custom_target(tutorial_tests)

# tutorial_add_catch_tests(<target> PREFIX 01_elu LABEL elu)
#
# Registers every Catch2 test case of an executable: on the cpu backend twice, with the threads of a
# block run first to last and last to first; on a GPU once. The executable is asked for its cases
# when CTest starts, so one that was not built fails nothing: its chapter shows as "not built",
# disabled. (catch_discover_tests would register a failing ..._NOT_BUILT, and cannot register the
# cases twice.)
function(tutorial_add_catch_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;LABEL" "")
  if(TUTORIAL_ON_GPU)
    set(orders cuda)
  else()
    set(orders forward reverse)
  endif()
  add_dependencies(tutorial_tests ${target})
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.ctest.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT
"set(executable [==[$<TARGET_FILE:${target}>]==])
set(prefix [==[${arg_PREFIX}]==])
set(label [==[${arg_LABEL}]==])
set(orders ${orders})
set(catch_version ${Catch2_VERSION})
set(cmake [==[${CMAKE_COMMAND}]==])
include([==[${PROJECT_SOURCE_DIR}/common/cmake/discover_tests.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()

# tutorial_add_python_test(<name> LABEL <label> COMMAND <script> [arguments...])
function(tutorial_add_python_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "COMMAND")
  if(NOT Python3_EXECUTABLE)
    return()
  endif()
  add_test(NAME "${name}" COMMAND "${Python3_EXECUTABLE}" ${arg_COMMAND}
           WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  # Python writes __pycache__ beside the sources otherwise.
  set_tests_properties("${name}" PROPERTIES LABELS "${arg_LABEL}"
                       ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")
endfunction()

# tutorial_add_codegen_tests(<spec.json> PREFIX 01_elu LABEL elu): one test per architecture that
# the nvcc here knows, GPU or not, whatever the backend.
function(tutorial_add_codegen_tests spec)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;LABEL" "")
  if(NOT TUTORIAL_NVCC)
    add_test(NAME "${arg_PREFIX}.codegen" COMMAND "${CMAKE_COMMAND}" -E echo "skipped: no nvcc here")
    set_tests_properties("${arg_PREFIX}.codegen" PROPERTIES LABELS "${arg_LABEL}"
                         SKIP_REGULAR_EXPRESSION "skipped: no nvcc")
    return()
  endif()
  tutorial_nvcc_architectures(architectures ${TUTORIAL_ARCHITECTURES})
  foreach(architecture IN LISTS architectures)
    tutorial_add_python_test("${arg_PREFIX}.codegen: sm_${architecture}" LABEL "${arg_LABEL}"
      COMMAND "${PROJECT_SOURCE_DIR}/common/tools/codegen.py" --nvcc "${TUTORIAL_NVCC}"
              --arch "sm_${architecture}" --spec "${spec}")
  endforeach()
endfunction()

# tutorial_add_asan_exhibits(<target> <source> PREFIX 01_elu LABEL elu): one test per line
# `// asan: <name>: <regex>` of the source. The program must die with a report that matches. Where
# to look for variables used after their function's return differs between compilers: here, always.
function(tutorial_add_asan_exhibits target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PREFIX;LABEL" "")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  file(STRINGS "${source}" lines REGEX "^// asan: ")
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.ctest.cmake")
  add_dependencies(tutorial_tests ${target})
  set(text "if(EXISTS [==[$<TARGET_FILE:${target}>]==])\n")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^// asan: ([^:]+): (.+)$")
      message(FATAL_ERROR "${source}: not of the form '// asan: <name>: <regex>': ${line}")
    endif()
    set(test "${arg_PREFIX}.asan: ${CMAKE_MATCH_1}")
    string(APPEND text
      "add_test([==[${test}]==] [==[$<TARGET_FILE:${target}>]==] [==[${CMAKE_MATCH_1}]==])\n"
      "set_tests_properties([==[${test}]==] PROPERTIES LABELS [==[${arg_LABEL}]==] "
      "PASS_REGULAR_EXPRESSION [==[${CMAKE_MATCH_2}]==] "
      "ENVIRONMENT [==[ASAN_OPTIONS=detect_leaks=0:color=never:detect_stack_use_after_return=1]==])\n")
  endforeach()
  file(GENERATE OUTPUT "${script}" CONTENT "${text}endif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
