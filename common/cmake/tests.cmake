# How tests reach CTest.

# What ./tutorial test builds: the programs that prove kernels, and no benchmark.
add_custom_target(tutorial_tests)
# The other programs that a test runs: exhibits, and a benchmark of a few rows. Their tests have the label house.
add_custom_target(tutorial_house_tests)

# No test may hang: so many seconds for each, and for a GPU's long sweeps.
set(tutorial_timeout 120)
set(tutorial_long_timeout 900)
if(CMAKE_CROSSCOMPILING OR (CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT TUTORIAL_SANITIZE))  # an emulator, or no optimizer
  set(tutorial_timeout 1800)
endif()

# tutorial_gpu_share(<out>): the CTest properties with which as many long sweeps run at the same time as the
# GPU has memory for; one takes up to 34 GiB, and half of that where it finds no more free. While one
# computes on the GPU, others judge on the host, with all its cores: three are enough.
function(tutorial_gpu_share out)
  set(memory 0)
  find_program(nvidia_smi nvidia-smi NO_CACHE)
  if(nvidia_smi)
    execute_process(COMMAND "${nvidia_smi}" --query-gpu=memory.total --format=csv,noheader,nounits
                    OUTPUT_VARIABLE text ERROR_QUIET)
    if(text MATCHES "^([0-9]+)")
      set(memory "${CMAKE_MATCH_1}")
    endif()
  endif()
  math(EXPR at_once "${memory} / 36864")
  if(at_once GREATER 3)
    set(at_once 3)
  endif()
  if(at_once LESS 2)
    set(${out} RESOURCE_LOCK gpu PARENT_SCOPE)
    return()
  endif()
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR processors "${cores} / ${at_once}")
  if(processors LESS 1)
    set(processors 1)
  endif()
  set(${out} PROCESSORS ${processors} PARENT_SCOPE)
endfunction()

# tutorial_add_catch_tests(<target> PREFIX 01_elu LABEL elu)
#
# On the cpu backend every test case of the executable is a test, and is registered twice: with the
# threads of a block run first to last, and last to first. The reverse order has the label `long` where
# the kernels of the folder let threads exchange nothing: it cannot change a result there, and random
# calls (01_elu.fuzz) run in both. Where only some do, cases that run them have the tag [exchange], and the
# others are long: also the longest sweeps, whose kernels smaller cases with the tag run too. Under the sanitizers: one
# order, for the one recorded fault that the reverse order alone notices, a barrier, is noticed without them.
#
# On a GPU a process costs a CUDA context, a third of a second: 01_elu.cuda runs all cases but those
# tagged [long], one program at a time. Of those, each is a test, 01_elu.cuda.<case>, with the label
# `long`, and as many run at once as tutorial_gpu_share() says. The exit code 4 means that every case was
# skipped. A failing case must not exit with 4: --abortx 3 ends a run before that many fail.
function(tutorial_add_catch_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;LABEL" "")
  add_dependencies(tutorial_tests ${target})
  tutorial_parsed_with(tutorial_test_support ${target})
  tutorial_compile_quickly(${target})
  tutorial_require_built(${target})
  file(GLOB_RECURSE sources *_test*.cpp)
  tutorial_mentions(long "\\[long\\]" ${sources})
  tutorial_mentions(tagged "\\[exchange\\]" ${sources})
  if(TUTORIAL_ON_GPU)
    add_test(NAME "${arg_PREFIX}.cuda" COMMAND ${target} "~[long]" --abortx 3)
    set_tests_properties("${arg_PREFIX}.cuda" PROPERTIES LABELS ${arg_LABEL}
                         SKIP_RETURN_CODE 4 RESOURCE_LOCK gpu TIMEOUT ${tutorial_timeout})
    # A program without such cases has no such tests: asked for them, Catch2 warns or fails.
    if(long)
      tutorial_gpu_share(share)
      catch_discover_tests(${target} TEST_PREFIX "${arg_PREFIX}.cuda." TEST_SPEC "[long]"
        TEST_LIST ${target}_long EXTRA_ARGS --abortx 3
        PROPERTIES LABELS ${arg_LABEL} LABELS long SKIP_RETURN_CODE 4 TIMEOUT ${tutorial_long_timeout}
                   COST 1000 FAIL_REGULAR_EXPRESSION "No test cases matched" ${share})
    endif()
    return()
  endif()
  tutorial_exchanges(exchange)
  tutorial_discover(${target} forward forward "~[.]")
  if(TUTORIAL_SANITIZE AND NOT TUTORIAL_SANITIZE_BOTH_ORDERS)
    return()
  endif()
  set(long_list ${target}_reverse)
  if(tagged)
    tutorial_discover(${target} reverse reverse "[exchange]")
    tutorial_discover(${target} reverse others "~[.]~[exchange]")
    set(long_list ${target}_others)
  else()
    # Catch2 tells two selections apart by their text: "~[.]" twice over is the same as once.
    tutorial_discover(${target} reverse reverse "~[.]" "~[.]")
  endif()
  if(tagged OR NOT exchange)
    set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.long.cmake")
    file(WRITE "${script}" "if(${long_list})
  set_tests_properties(\${${long_list}} PROPERTIES LABELS \"${arg_LABEL};long\")
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
  endif()
endfunction()

# tutorial_require_built(<target>), with the caller's PREFIX and LABEL: a test that fails while the program is not
# there. Catch2's own has no label, so that ctest -L would end with what is left, all of it passed.
macro(tutorial_require_built target)
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.built.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT
"if(NOT EXISTS [==[$<TARGET_FILE:${target}>]==])
add_test([==[${arg_PREFIX}: ${target} is built]==] [==[${CMAKE_COMMAND}]==] -E false)
set_tests_properties([==[${arg_PREFIX}: ${target} is built]==] PROPERTIES LABELS [==[${arg_LABEL}]==])
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endmacro()

# tutorial_test_if_built(<test> <targets> COMMAND <program> <word>... PROPERTIES <property> <value>...): CTest learns of this test once
# these programs are there, for nothing builds them but who wants them.
function(tutorial_test_if_built test targets)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "COMMAND;PROPERTIES")
  list(TRANSFORM targets REPLACE "(.+)" "EXISTS [==[$<TARGET_FILE:\\1>]==]" OUTPUT_VARIABLE there)
  list(JOIN there " AND " there)
  list(PREPEND arg_COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR})  # add_test() knows it only where a target is the command
  foreach(words COMMAND PROPERTIES)
    set(${words} "")
    foreach(word IN LISTS arg_${words})
      string(APPEND ${words} " [==[${word}]==]")
    endforeach()
  endforeach()
  string(MAKE_C_IDENTIFIER "${test}" file)
  set(script "${CMAKE_CURRENT_BINARY_DIR}/if_built/${file}.ctest.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT
"if(${there})
add_test([==[${test}]==]${COMMAND})
set_tests_properties([==[${test}]==] PROPERTIES${PROPERTIES})
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()

# tutorial_exchanges(<out>): whether threads exchange anything in the kernels of this folder.
function(tutorial_exchanges out)
  file(GLOB_RECURSE kernels *.cuh *.cu)
  list(FILTER kernels EXCLUDE REGEX "/(museum|answers|peers)/")
  tutorial_mentions(exchange "__syncthreads|__shfl|__ballot" ${kernels})
  set(${out} "${exchange}" PARENT_SCOPE)
endfunction()

# tutorial_mentions(<out> <regex> <file>...): whether a line of a file matches.
function(tutorial_mentions out regex)
  set(lines "")
  foreach(file IN LISTS ARGN)
    if(NOT lines)
      file(STRINGS "${file}" lines REGEX "${regex}" LIMIT_COUNT 1)
    endif()
  endforeach()
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# The test cases of a selection, in one order, with the caller's PREFIX and LABEL; ${target}_${list} names them.
macro(tutorial_discover target order list)
  catch_discover_tests(${target} TEST_PREFIX "${arg_PREFIX}.${order}." TEST_SPEC ${ARGN}
    TEST_LIST ${target}_${list} EXTRA_ARGS --abortx 3
    PROPERTIES LABELS ${arg_LABEL} SKIP_RETURN_CODE 4 TIMEOUT ${tutorial_timeout}
               FAIL_REGULAR_EXPRESSION "No test cases matched"
               ENVIRONMENT TUTORIAL_CPU_ORDER=${order})
endmacro()

# tutorial_add_python_test(<name> LABEL <label> COMMAND <script> [arguments...] [PROPERTIES <property> <value>...])
function(tutorial_add_python_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "COMMAND;PROPERTIES")
  if(NOT Python3_EXECUTABLE)
    return()
  endif()
  add_test(NAME "${name}" COMMAND "${Python3_EXECUTABLE}" ${arg_COMMAND}
           WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  # Python writes __pycache__ beside the sources otherwise.
  set_tests_properties("${name}" PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${tutorial_timeout}
                       ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1" ${arg_PROPERTIES})
endfunction()

# tutorial_add_codegen_tests(<spec.json> PREFIX 01_elu LABEL elu): one test per architecture of
# TUTORIAL_CODEGEN_ARCHITECTURES that the nvcc here knows, GPU or not, whatever the backend; a spec may
# name fewer under "architectures".
# The tests of proof/codegen.json are 01_elu.codegen: sm_90, those of codegen_operator.json
# 01_elu.codegen_operator: sm_90.
function(tutorial_add_codegen_tests spec)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;LABEL" "")
  get_filename_component(name "${spec}" NAME_WE)
  if(NOT TUTORIAL_NVCC)
    add_test(NAME "${arg_PREFIX}.${name}" COMMAND "${CMAKE_COMMAND}" -E echo
             "skipped: the machine code comes from nvcc: ./tutorial setup --nvcc fetches one from PyPI")
    set_tests_properties("${arg_PREFIX}.${name}" PROPERTIES LABELS "${arg_LABEL}"
                         SKIP_REGULAR_EXPRESSION "^skipped: ")
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${spec}")
  file(READ "${spec}" text)
  string(JSON wanted ERROR_VARIABLE all GET "${text}" architectures)
  set(architectures ${TUTORIAL_CODEGEN_ARCHITECTURES})
  if(architectures STREQUAL "all")
    set(architectures ${TUTORIAL_ARCHITECTURES})
  endif()
  tutorial_nvcc_architectures(architectures ${architectures})
  foreach(architecture IN LISTS architectures)
    if(all OR wanted MATCHES "\"sm_${architecture}\"")  # nvcc may take minutes on a busy machine
      tutorial_add_python_test("${arg_PREFIX}.${name}: sm_${architecture}" LABEL "${arg_LABEL}"
        COMMAND "${PROJECT_SOURCE_DIR}/common/tools/maintain/codegen.py" --nvcc "${TUTORIAL_NVCC}"
                --arch "sm_${architecture}" --spec "${spec}" $<$<BOOL:${TUTORIAL_WERROR}>:--werror>
        PROPERTIES TIMEOUT ${tutorial_long_timeout})
    endif()
  endforeach()
endfunction()

# tutorial_add_refused_exhibit(<exhibit.cu> PREFIX 05_name LABEL name): a source that no compiler
# takes, and a test that builds it and wants the compiler's reason, which a line
# `// refused: <regex>` of the source names as g++, clang and nvcc word it.
function(tutorial_add_refused_exhibit source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;LABEL" "")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  file(STRINGS "${source}" reasons REGEX "^// refused: ")
  if(NOT reasons MATCHES "^// refused: (.+)$")
    message(FATAL_ERROR "${source} has no line '// refused: <regex>'")
  endif()
  set(reasons "${CMAKE_MATCH_1}")
  get_filename_component(name "${source}" NAME_WE)
  set(target ${arg_PREFIX}_${name})
  tutorial_sources(source "${source}")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${target} PRIVATE tutorial_runtime)
  string(REPLACE "does_not_compile_" "does not compile: " test "${arg_PREFIX}.${name}")
  add_test(NAME "${test}" COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${target})
  set_tests_properties("${test}" PROPERTIES LABELS "${arg_LABEL};house"
    PASS_REGULAR_EXPRESSION "${reasons}" RESOURCE_LOCK build_folder TIMEOUT ${tutorial_timeout})
endfunction()

# tutorial_add_exhibits(<target> <source> asan|check PREFIX 01_elu LABEL elu): one test per line
# `// asan: <name>: <regex>`, or `// check: ...`, of the source. The program must print a report that
# matches. Where to look for variables used after their function's return differs between compilers:
# here, always.
function(tutorial_add_exhibits target source kind)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "PREFIX;LABEL" "")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  file(STRINGS "${source}" lines REGEX "^// ${kind}: ")
  add_dependencies(tutorial_house_tests ${target})
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^// ${kind}: ([^:]+): (.+)$")
      message(FATAL_ERROR "${source}: not of the form '// ${kind}: <name>: <regex>': ${line}")
    endif()
    tutorial_test_if_built("${arg_PREFIX}.${kind}: ${CMAKE_MATCH_1}" ${target}
      COMMAND "$<TARGET_FILE:${target}>" "${CMAKE_MATCH_1}"
      PROPERTIES LABELS "${arg_LABEL};house" PASS_REGULAR_EXPRESSION "${CMAKE_MATCH_2}" TIMEOUT ${tutorial_timeout} ENVIRONMENT
                 "TUTORIAL_CHECK_SECONDS=1;ASAN_OPTIONS=detect_leaks=0:color=never:detect_stack_use_after_return=1")
  endforeach()
endfunction()
