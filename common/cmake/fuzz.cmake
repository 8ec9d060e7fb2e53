# Fuzzing (common/proof/fuzz): random calls of a chapter's operators, each checked against what the
# operator promises. On the cpu backend, where the sanitizers are.

# So many inputs a chapter take some seconds under the sanitizers.
set(TUTORIAL_FUZZ_RUNS 3000 CACHE STRING "Inputs that a chapter's fuzz test tries")

if(TUTORIAL_TESTS AND NOT TUTORIAL_ON_GPU)
  set(sources driver.cpp shapes.cpp trial.cpp ../broadcast_cases.cpp)
  list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/common/proof/fuzz/")
  tutorial_library(tutorial_fuzz STATIC EXCLUDE_FROM_ALL SOURCES ${sources} LIBRARIES tutorial_runtime)
endif()

# tutorial_add_fuzz(<target> <source> PREFIX 01_elu LABEL elu LIBRARIES <target>...): the program,
# and the test 01_elu.fuzz, a bounded number of inputs that are the same every time.
function(tutorial_add_fuzz target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PREFIX;LABEL" "LIBRARIES")
  tutorial_executable(${target} SOURCES "${source}" LIBRARIES ${arg_LIBRARIES} tutorial_fuzz)
  tutorial_compile_quickly(${target})
  add_dependencies(tutorial_tests ${target})
  tutorial_test_if_built("${arg_PREFIX}.fuzz" ${target} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${tutorial_timeout}
                         COMMAND "$<TARGET_FILE:${target}>" -seed=8 -runs=${TUTORIAL_FUZZ_RUNS})
endfunction()
