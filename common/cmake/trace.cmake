# Tracing (common/trace): a chapter's kernels, compiled so that every access to memory can be seen.
#
# g++ -fsanitize=thread calls a function before each access. ThreadSanitizer's own runtime is not
# linked: the functions are those of common/trace/hooks.cpp. Only the target 01_elu_trace has them,
# which nothing but itself and tutorial_traces builds.
#
# The options make the compiler's accesses those of the source:
#   -fno-tree-sra           a float4 is copied as a whole, not component by component
#   -O1                     loops are not unrolled, and nothing is vectorized
#   -finline-*, --param     g++ does not instrument what a call passes and returns by value, such as a
#                           half; so no call may be left. TUTORIAL_TRACE makes __forceinline__ mean it
#   -fno-ipa-*, -fno-partial-inlining   every access keeps the line that it is from
#   -gdwarf-4               addr2line of binutils 2.40 mistakes the first file of DWARF 5
# clang makes copies of a float4 into calls of memcpy, and reports no request of 16 bytes.
add_custom_target(tutorial_traces)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND TUTORIAL_TESTS AND NOT TUTORIAL_ON_GPU
   AND NOT TUTORIAL_SANITIZE)
  set(trace "${PROJECT_SOURCE_DIR}/common/trace")
  file(GLOB sources CONFIGURE_DEPENDS ${trace}/*.cpp)
  add_library(tutorial_trace STATIC EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(tutorial_trace PUBLIC tutorial_bench_parts)
  target_compile_definitions(tutorial_trace PUBLIC TUTORIAL_TRACE=1
                             PRIVATE TUTORIAL_ROOT="${PROJECT_SOURCE_DIR}")
  tutorial_flags(tutorial_trace)
endif()

# tutorial_trace_program(<target> <chapter's library> <its benchmark> <kernels>...)
function(tutorial_trace_program target name bench)
  add_library(${target}d OBJECT EXCLUDE_FROM_ALL ${ARGN})
  target_link_libraries(${target}d PRIVATE tutorial_trace)
  target_compile_options(${target}d PRIVATE
    -O1 -finline-functions -finline-small-functions -findirect-inlining -fno-partial-inlining
    -fno-ipa-sra -fno-ipa-icf -fno-tree-sra --param=max-inline-insns-single=2000
    --param=max-inline-insns-auto=2000 --param=inline-unit-growth=5000
    --param=large-function-growth=5000 --param=large-unit-insns=1000000 -g1 -gdwarf-4 -fsanitize=thread
    -Wno-attributes)
  tutorial_flags(${target}d)

  # The benchmark's own sources, and all that it links but the kernels and its main program.
  get_target_property(sources ${bench} SOURCES)
  get_target_property(libraries ${bench} LINK_LIBRARIES)
  list(REMOVE_ITEM libraries ${name} tutorial_bench_support)
  add_executable(${target} EXCLUDE_FROM_ALL ${sources} $<TARGET_OBJECTS:${target}d>)
  target_link_libraries(${target} PRIVATE ${libraries} tutorial_trace)
  tutorial_flags(${target})
endfunction()

# tutorial_add_trace(<name> PREFIX 01_elu): the program 01_elu_trace, from the sources of the
# chapter's library and of its benchmark, which says what the rungs are called and how they run.
function(tutorial_add_trace name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "")
  set(target ${arg_PREFIX}_trace)
  if(NOT TARGET tutorial_trace OR NOT TARGET ${arg_PREFIX}_bench OR NOT TARGET ${name})
    return()
  endif()
  get_target_property(kernels ${name} SOURCES)
  tutorial_trace_program(${target} ${name} ${arg_PREFIX}_bench ${kernels})
  add_dependencies(tutorial_traces ${target})

  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.ctest.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT
"if(EXISTS [==[$<TARGET_FILE:${target}>]==])
add_test([==[${arg_PREFIX}.trace]==] [==[${Python3_EXECUTABLE}]==]
         [==[${PROJECT_SOURCE_DIR}/common/tools/maintain/trace_proof.py]==] [==[$<TARGET_FILE:${target}>]==])
set_tests_properties([==[${arg_PREFIX}.trace]==] PROPERTIES LABELS [==[${name}]==]
                     ENVIRONMENT PYTHONDONTWRITEBYTECODE=1 SKIP_RETURN_CODE 4)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/proof/your_strided.cuh" AND
     EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/answers/climb.cuh")
    tutorial_add_traced_edits(${name} PREFIX ${arg_PREFIX})
  endif()
endfunction()

# The same program with other files in the place of your_<name>.cuh, and what their traces must show.
function(tutorial_add_traced_edits name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "")
  set(target ${arg_PREFIX}_trace)
  get_target_property(kernels ${name} SOURCES)
  foreach(edit proof/your_strided answers/climb)
    get_filename_component(short ${edit} NAME)
    set(include "${CMAKE_CURRENT_BINARY_DIR}/traced/${short}")
    configure_file(${edit}.cuh "${include}/${arg_PREFIX}/your_${name}.cuh" COPYONLY)
    tutorial_trace_program(${target}_${short} ${name} ${arg_PREFIX}_bench ${kernels})
    target_include_directories(${target}_${short}d BEFORE PRIVATE "${include}")
    target_include_directories(${target}_${short} BEFORE PRIVATE "${include}")
    add_dependencies(tutorial_answers ${target}_${short})
  endforeach()
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}_edits.ctest.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT
"if(EXISTS [==[$<TARGET_FILE:${target}_climb>]==] AND EXISTS [==[$<TARGET_FILE:${target}>]==])
add_test([==[${arg_PREFIX}.trace: edits]==] [==[${Python3_EXECUTABLE}]==]
         [==[${PROJECT_SOURCE_DIR}/common/tools/test/trace_edits.py]==] your_${name}
         [==[$<TARGET_FILE:${target}_your_strided>=2,stride 16,16,12.5 %]==]
         [==[$<TARGET_FILE:${target}_climb>=16,consecutive,16,100 %]==])
set_tests_properties([==[${arg_PREFIX}.trace: edits]==] PROPERTIES LABELS [==[${name}]==]
                     ENVIRONMENT PYTHONDONTWRITEBYTECODE=1 TIMEOUT ${tutorial_timeout})
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
