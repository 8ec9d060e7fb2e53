# Tracing (common/trace): a chapter's kernels, compiled so that every access to memory can be seen.
#
# g++ -fsanitize=thread calls a function before each access. ThreadSanitizer's own runtime is not
# linked: the functions are those of common/trace/hooks.cpp. Only the targets 01_elu_trace... have them,
# which `./tutorial trace elu`, the test "01_elu.trace: build" and tutorial_traces build; the recorder, which is
# the same for all, comes with the first chapter.
#
# The options make the compiler's accesses those of the source:
#   -fno-tree-sra           a float4 is copied as a whole, not component by component
#   -O1                     loops are not unrolled, and nothing is vectorized
#   -finline-*, --param     g++ does not instrument what a call passes and returns by value, such as a
#                           half; so no call may be left. TUTORIAL_TRACE makes __forceinline__ mean it
#                           (host functions that everything calls say noinline: their copies took half the time)
#   -fno-ipa-*, -fno-partial-inlining   every access keeps the line that it is from
#   -gdwarf-4               addr2line of binutils 2.40 mistakes the first file of DWARF 5
#   -fno-var-tracking...    no debugger asks where a variable lives; to find out takes a third of the time
# clang makes copies of a float4 into calls of memcpy, and reports no request of 16 bytes.
add_custom_target(tutorial_traces)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND TUTORIAL_TESTS AND NOT TUTORIAL_ON_GPU
   AND NOT TUTORIAL_SANITIZE)
  # What the checks (check.cmake) need as well, and the rest.
  set(trace "${PROJECT_SOURCE_DIR}/common/trace")
  set(sources ${trace}/hooks.cpp ${trace}/symbols.cpp)
  add_library(tutorial_hooks STATIC EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(tutorial_hooks PUBLIC tutorial_runtime)
  target_compile_definitions(tutorial_hooks PUBLIC TUTORIAL_TRACE=1
                             PRIVATE TUTORIAL_ROOT="${PROJECT_SOURCE_DIR}")
  # The alignment of shared arrays (executor/qualifiers.h) is larger than a page, and what the linker
  # would protect after relocation could not be.
  target_link_options(tutorial_hooks INTERFACE -Wl,-z,norelro)
  tutorial_flags(tutorial_hooks)
  file(GLOB rest CONFIGURE_DEPENDS ${trace}/*.cpp)
  list(REMOVE_ITEM rest ${sources} ${trace}/program.cpp)
  add_library(tutorial_trace STATIC EXCLUDE_FROM_ALL ${rest})
  target_link_libraries(tutorial_trace PUBLIC tutorial_hooks tutorial_bench_parts)
  tutorial_flags(tutorial_trace)
endif()

# tutorial_traced_objects(<target> <kernels>...): they call a function before each access.
function(tutorial_traced_objects target)
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  target_link_libraries(${target} PRIVATE tutorial_hooks)
  target_compile_options(${target} PRIVATE
    -O1 -finline-functions -finline-small-functions -findirect-inlining -fno-partial-inlining
    -fno-ipa-sra -fno-ipa-icf -fno-tree-sra --param=max-inline-insns-single=2000
    --param=max-inline-insns-auto=2000 --param=inline-unit-growth=5000
    --param=large-function-growth=5000 --param=large-unit-insns=1000000 -g1 -gdwarf-4 -fno-var-tracking
    -fno-var-tracking-assignments -fsanitize=thread -Wno-attributes -Wno-tsan)
  tutorial_flags(${target})
endfunction()

# tutorial_trace_program(<target> <chapter's library> <bench> <objects>...): what lies in these object libraries can
# be seen; every other kernel is the library's, and runs unseen.
function(tutorial_trace_program target name bench)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  get_target_property(libraries ${bench} LINK_LIBRARIES)
  list(REMOVE_ITEM libraries tutorial_bench_support)
  add_executable(${target} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${bench}> ${objects})
  target_link_libraries(${target} PRIVATE ${libraries} tutorial_trace)
  tutorial_flags(${target})
endfunction()

# tutorial_add_moved(<test> <label> <main program> LIBRARIES <libraries> OBJECTS <object libraries>): a program
# that says what the kernels in these objects move (common/trace/moved.h), and the tests that build and run it.
function(tutorial_add_moved test label source)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "LIBRARIES;OBJECTS")
  string(REPLACE "." "_" target "${test}")
  list(TRANSFORM arg_OBJECTS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_executable(${target} EXCLUDE_FROM_ALL "${source}" ${objects})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} tutorial_trace)
  tutorial_flags(${target})
  add_dependencies(tutorial_traces ${target})
  add_test(NAME "${test}: build" COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${target})
  set_tests_properties("${test}: build" PROPERTIES LABELS "${label}" FIXTURES_SETUP ${target}
                       RESOURCE_LOCK build_folder TIMEOUT ${tutorial_long_timeout})
  add_test(NAME "${test}" COMMAND ${target})
  set_tests_properties("${test}" PROPERTIES LABELS "${label}" FIXTURES_REQUIRED ${target} TIMEOUT ${tutorial_timeout})
endfunction()

# tutorial_add_trace(<name> PREFIX 01_elu): the program 01_elu_trace, from the sources of the
# chapter's library and of its benchmark, which says what the rungs are called and how they run. A reader waits
# for less: 01_elu_trace_your_elu sees that source's kernels alone, 01_elu_trace_named those that a source in the
# build folder names, which ./tutorial trace writes there.
function(tutorial_add_trace name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "")
  set(target ${arg_PREFIX}_trace)
  if(NOT TARGET ${arg_PREFIX}_bench OR NOT TARGET ${name} OR TUTORIAL_ON_GPU OR TUTORIAL_SANITIZE)
    return()
  endif()
  if(NOT TARGET tutorial_trace)
    add_test(NAME "${arg_PREFIX}.trace" COMMAND "${CMAKE_COMMAND}" -E echo
             "skipped: counting what a warp asks for takes g++: ./tutorial trace says why")
    set_tests_properties("${arg_PREFIX}.trace" PROPERTIES LABELS "${name}" SKIP_REGULAR_EXPRESSION "^skipped: ")
    return()
  endif()
  get_target_property(kernels ${name} SOURCES)
  set(bench ${arg_PREFIX}_bench)
  set(yours "${kernels}")
  list(FILTER yours INCLUDE REGEX "/your_${name}\\.cu$")
  list(REMOVE_ITEM kernels ${yours})
  set(named "${CMAKE_CURRENT_BINARY_DIR}/traced.cu")
  file(APPEND "${named}" "")
  tutorial_sources(named "${named}")
  tutorial_traced_objects(${arg_PREFIX}_traced ${kernels})
  tutorial_traced_objects(${arg_PREFIX}_traced_your_${name} ${yours})
  tutorial_traced_objects(${arg_PREFIX}_traced_named "${named}")
  tutorial_trace_program(${target} ${name} ${bench} ${arg_PREFIX}_traced ${arg_PREFIX}_traced_your_${name})
  tutorial_trace_program(${target}_your_${name} ${name} ${bench} ${arg_PREFIX}_traced_your_${name})
  tutorial_trace_program(${target}_named ${name} ${bench} ${arg_PREFIX}_traced_named)
  target_link_options(${target}_named PRIVATE -Wl,--allow-multiple-definition)  # the first is meant
  add_dependencies(tutorial_traces ${target})
  add_dependencies(${arg_PREFIX} tutorial_trace)
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/proof/moved.cpp")
    tutorial_add_moved(${arg_PREFIX}.moved ${name} "${CMAKE_CURRENT_SOURCE_DIR}/proof/moved.cpp"
                       LIBRARIES ${name} OBJECTS ${arg_PREFIX}_traced ${arg_PREFIX}_traced_your_${name})
  endif()

  if(NOT Python3_EXECUTABLE)
    return()
  endif()
  # Built by a test, because nothing else needs it; one compiler, beside the other tests.
  add_test(NAME "${arg_PREFIX}.trace: build" COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${target})
  set_tests_properties("${arg_PREFIX}.trace: build" PROPERTIES LABELS "${name}" FIXTURES_SETUP ${target}
                       RESOURCE_LOCK build_folder TIMEOUT ${tutorial_long_timeout} COST 1000)
  set(proof "${PROJECT_SOURCE_DIR}/common/tools/maintain/trace_proof.py" "$<TARGET_FILE:${target}>")
  tutorial_add_python_test("${arg_PREFIX}.trace" LABEL "${name}" COMMAND ${proof} --quick)
  tutorial_add_python_test("${arg_PREFIX}.trace: ncu" LABEL "${name};long" COMMAND ${proof})
  set_tests_properties("${arg_PREFIX}.trace" "${arg_PREFIX}.trace: ncu" PROPERTIES FIXTURES_REQUIRED ${target})
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/proof/your_strided.cuh" AND
     EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/answers/climb.cuh")
    tutorial_add_traced_edits(${name} PREFIX ${arg_PREFIX})
  endif()
endfunction()

# The same program with other files in the place of your_<name>.cuh, and what their traces must show.
function(tutorial_add_traced_edits name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "")
  set(target ${arg_PREFIX}_trace)
  foreach(edit proof/your_strided answers/climb)
    get_filename_component(short ${edit} NAME)
    set(include "${CMAKE_CURRENT_BINARY_DIR}/traced/${short}")
    configure_file(${edit}.cuh "${include}/${arg_PREFIX}/your_${name}.cuh" COPYONLY)
    tutorial_traced_objects(${arg_PREFIX}_traced_${short} launchers/your_${name}.cu)
    target_include_directories(${arg_PREFIX}_traced_${short} BEFORE PRIVATE "${include}")
    tutorial_trace_program(${target}_${short} ${name} ${arg_PREFIX}_bench ${arg_PREFIX}_traced_${short})
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
