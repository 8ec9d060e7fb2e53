# Seeing every access of a kernel (common/trace, common/check): sources compiled so that a function is called before each
# access to memory, in programs that judge the accesses, or count them.
#
#   01_elu_see            all kernels of a chapter: `check` judges every rung and operator that its benchmark
#                         times, `trace` says what a rung asks of memory (common/see/see.h)
#   01_elu_see_your_elu   the same, and sees the reader's kernel alone: small, so that it answers at once
#   01_elu_see_named      the same, and sees the kernels that a source in the build folder names, which
#                         ./tutorial trace writes there
#   01_elu_your_<answer>_see     a program that the reader has begun (answers.cmake; common/check/program.cpp)
#
# No other target has them; `./tutorial trace elu`, the test "01_elu.trace: build" and tutorial_see_programs build them.
#
# g++ -fsanitize=thread calls the functions; ThreadSanitizer's own runtime is not linked: they are those of
# common/trace/hooks.cpp.
#
# The options make the compiler's accesses those of the source:
#   -fno-tree-sra           a float4 is copied as a whole, not component by component
#   -O1                     loops are not unrolled, and nothing is vectorized
#   TUTORIAL_SEES_KERNELS   g++ does not instrument what a call passes and returns by value, such as a half; so no call
#                           may be left in a kernel, and __global__ has them all inlined (left in the machine code are
#                           those of the executor and of libm). Launchers are compiled as ever
#   -fno-ipa-*, -fno-partial-inlining   every access keeps the line that it is from
#   -gdwarf-4               addr2line of binutils 2.40 mistakes the first file of DWARF 5
#   -fno-var-tracking...    no debugger asks where a variable lives; to find out takes a third of the time
# clang makes copies of a float4 into calls of memcpy, and reports no request of 16 bytes.
add_custom_target(tutorial_see_programs)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND TUTORIAL_TESTS AND NOT TUTORIAL_ON_GPU
   AND NOT TUTORIAL_SANITIZE)
  set(program "${PROJECT_SOURCE_DIR}/common/check/program.cpp" "${PROJECT_SOURCE_DIR}/common/check/runtime_calls.cpp")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/common/check/*.cpp" "${PROJECT_SOURCE_DIR}/common/trace/*.cpp")
  list(REMOVE_ITEM sources ${program})
  tutorial_library(tutorial_see STATIC EXCLUDE_FROM_ALL SOURCES ${sources} LIBRARIES tutorial_runtime)
  target_compile_definitions(tutorial_see PUBLIC TUTORIAL_TRACE=1 PRIVATE TUTORIAL_ROOT="${PROJECT_SOURCE_DIR}")
  target_compile_options(tutorial_see PRIVATE -O2)
  # The alignment of shared arrays (executor/qualifiers.h) is larger than a page, and what the linker
  # would protect after relocation could not be.
  target_link_options(tutorial_see INTERFACE -Wl,-z,norelro)
  # A program's main is wrapped.
  tutorial_library(tutorial_see_program STATIC EXCLUDE_FROM_ALL SOURCES ${program} LIBRARIES tutorial_see)
  target_link_options(tutorial_see_program INTERFACE "-Wl,@${PROJECT_SOURCE_DIR}/common/check/wrapped.txt")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/common/see/*.cpp")
  tutorial_library(tutorial_see_chapter STATIC EXCLUDE_FROM_ALL SOURCES ${sources}
                   LIBRARIES tutorial_see tutorial_bench_parts)
endif()

# tutorial_seen_objects(<target> <kernels>...): they call a function before each access.
function(tutorial_seen_objects target)
  tutorial_library(${target} OBJECT EXCLUDE_FROM_ALL SOURCES ${ARGN} LIBRARIES tutorial_see)
  target_compile_definitions(${target} PRIVATE TUTORIAL_SEES_KERNELS=1)
  target_compile_options(${target} PRIVATE
    -O1 -fno-partial-inlining -fno-ipa-sra -fno-ipa-icf -fno-tree-sra -g1 -gdwarf-4 -fno-var-tracking
    -fno-var-tracking-assignments -fsanitize=thread -Wno-attributes -Wno-tsan)
endfunction()

# tutorial_see_program(<target> <chapter's library> <bench> <objects>...): what lies in these object libraries can
# be seen; every other kernel is the library's, and runs unseen.
function(tutorial_see_program target name bench)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  get_target_property(libraries ${bench} LINK_LIBRARIES)
  list(REMOVE_ITEM libraries tutorial_bench_support)
  tutorial_executable(${target} EXCLUDE_FROM_ALL SOURCES $<TARGET_OBJECTS:${bench}> ${objects}
                      LIBRARIES ${libraries} tutorial_see_chapter)
endfunction()

# tutorial_add_moved(<test> <label> <main program> LIBRARIES <libraries> OBJECTS <object libraries>): a program
# that says what the kernels in these objects move (common/see/moved.h), and the tests that build and run it.
function(tutorial_add_moved test label source)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "LIBRARIES;OBJECTS")
  string(REPLACE "." "_" target "${test}")
  list(TRANSFORM arg_OBJECTS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  tutorial_executable(${target} EXCLUDE_FROM_ALL SOURCES "${source}" ${objects}
                      LIBRARIES ${arg_LIBRARIES} tutorial_see_chapter)
  add_dependencies(tutorial_see_programs ${target})
  add_test(NAME "${test}: build" COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${target})
  set_tests_properties("${test}: build" PROPERTIES LABELS "${label};house" FIXTURES_SETUP ${target}
                       RESOURCE_LOCK build_folder TIMEOUT ${tutorial_long_timeout})
  add_test(NAME "${test}" COMMAND ${target})
  set_tests_properties("${test}" PROPERTIES LABELS "${label};house" FIXTURES_REQUIRED ${target} TIMEOUT ${tutorial_timeout})
endfunction()

# tutorial_see_exhibits(<target> <main program> PREFIX 01_elu LABEL elu SOURCES <kernels>...): a bug
# museum, and what must be found in it: a test per line `// check: <name>: <regex>` of the main program.
function(tutorial_see_exhibits target main)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PREFIX;LABEL" "SOURCES")
  file(STRINGS "${main}" lines REGEX "^// check: ")
  if(NOT TARGET tutorial_see OR NOT lines)
    return()
  endif()
  tutorial_seen_objects(${target}_objects ${arg_SOURCES} "${main}")
  tutorial_executable(${target} LIBRARIES tutorial_see_program SOURCES $<TARGET_OBJECTS:${target}_objects>)
  tutorial_add_exhibits(${target} "${main}" check PREFIX ${arg_PREFIX} LABEL ${arg_LABEL})
endfunction()

# tutorial_add_see(<name> 01_elu): the programs 01_elu_see..., from the sources of the chapter's library and
# of its benchmark.
function(tutorial_add_see name folder)
  set(target ${folder}_see)
  set(bench ${folder}_bench)
  set(yours "${CMAKE_CURRENT_SOURCE_DIR}/launchers/your_${name}.cu")
  if(NOT TARGET ${bench} OR NOT TARGET ${name} OR NOT EXISTS "${yours}" OR TUTORIAL_ON_GPU OR TUTORIAL_SANITIZE)
    return()
  endif()
  if(NOT TARGET tutorial_see)
    add_test(NAME "${folder}.trace" COMMAND "${CMAKE_COMMAND}" -E echo
             "skipped: counting what a warp asks for takes g++: ./tutorial trace says why")
    set_tests_properties("${folder}.trace" PROPERTIES LABELS "${name}" SKIP_REGULAR_EXPRESSION "^skipped: ")
    return()
  endif()

  # A rung with its claims, or a launcher and claims.
  set(rung "your_${name}, your_${name}_claims()")
  file(STRINGS "${yours}" whole REGEX "your_${name}_rung\\(\\)")
  if(whole)
    set(rung "your_${name}_rung()")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/common/see/yours.cpp.in" "${CMAKE_CURRENT_BINARY_DIR}/yours.cpp" @ONLY)
  tutorial_library(${target}_rung OBJECT EXCLUDE_FROM_ALL SOURCES "${CMAKE_CURRENT_BINARY_DIR}/yours.cpp"
                   LIBRARIES tutorial_see_chapter)

  tutorial_sources_of(kernels ${name})
  list(REMOVE_ITEM kernels "${yours}")
  set(named "${CMAKE_CURRENT_BINARY_DIR}/traced.cu")
  file(APPEND "${named}" "")
  tutorial_seen_objects(${folder}_seen ${kernels})
  tutorial_seen_objects(${folder}_seen_your_${name} "${yours}")
  tutorial_seen_objects(${folder}_seen_named "${named}")
  tutorial_see_program(${target} ${name} ${bench} ${target}_rung ${folder}_seen ${folder}_seen_your_${name})
  tutorial_see_program(${target}_your_${name} ${name} ${bench} ${target}_rung ${folder}_seen_your_${name})
  tutorial_see_program(${target}_named ${name} ${bench} ${target}_rung ${folder}_seen_named)
  target_link_options(${target}_named PRIVATE -Wl,--allow-multiple-definition)  # the first is meant
  add_dependencies(tutorial_see_programs ${target})
  add_dependencies(${folder} tutorial_see_chapter)
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/proof/moved.cpp")
    tutorial_add_moved(${folder}.moved ${name} "${CMAKE_CURRENT_SOURCE_DIR}/proof/moved.cpp"
                       LIBRARIES ${name} OBJECTS ${folder}_seen ${folder}_seen_your_${name})
  endif()

  # Built by a test, because nothing else needs it; one compiler, beside the other tests.
  add_test(NAME "${folder}.trace: build" COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${target})
  set_tests_properties("${folder}.trace: build" PROPERTIES LABELS "${name}" FIXTURES_SETUP ${target}
                       RESOURCE_LOCK build_folder TIMEOUT ${tutorial_long_timeout} COST 1000)
  add_test(NAME "${folder}.check" COMMAND ${target} check)
  set_tests_properties("${folder}.check" PROPERTIES LABELS "${name}" FIXTURES_REQUIRED ${target}
                       TIMEOUT ${tutorial_long_timeout})
  set(proof "${PROJECT_SOURCE_DIR}/common/tools/maintain/trace_proof.py" "$<TARGET_FILE:${target}>")
  tutorial_add_python_test("${folder}.trace" LABEL "${name}" COMMAND ${proof} --quick PROPERTIES FIXTURES_REQUIRED ${target})
  tutorial_add_python_test("${folder}.trace: ncu" LABEL "${name};long" COMMAND ${proof}
                           PROPERTIES FIXTURES_REQUIRED ${target} TIMEOUT ${tutorial_long_timeout})

  file(GLOB exhibits CONFIGURE_DEPENDS proof/museum/exhibits*.cu)
  set(main "${CMAKE_CURRENT_SOURCE_DIR}/proof/museum/exhibits_asan.cpp")
  if(EXISTS "${main}")
    tutorial_see_exhibits(${folder}_exhibits_check "${main}" PREFIX ${folder} LABEL ${name} SOURCES ${exhibits})
    if(TARGET ${folder}_exhibits_check)
      add_dependencies(${folder} ${folder}_exhibits_check)
    endif()
  endif()
endfunction()
