# Checking (common/check): a chapter's kernels, compiled as for tracing, in a program that judges each of
# their accesses: bounds, races, memory that nobody wrote, the wait for the kernel before, loops without end.
#
#   01_elu_check       the reader's rung alone: small, so that it answers at once
#   01_elu_your_<answer>_check   a program that the reader has begun (answers.cmake)
#   01_elu_check_all   every rung and operator that the chapter's benchmark times; the test 01_elu.check
#
# The last is built by itself, like the tracing program that it shares its kernels with, or by tutorial_checks;
# CTest runs those that are there. g++ alone, for the reasons that stand in trace.cmake.
add_custom_target(tutorial_checks)

if(TARGET tutorial_hooks)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/common/check/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/(all|program)\\.cpp$")
  add_library(tutorial_check STATIC EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(tutorial_check PUBLIC tutorial_hooks)
  target_compile_definitions(tutorial_check PRIVATE TUTORIAL_ROOT="${PROJECT_SOURCE_DIR}")
  target_compile_options(tutorial_check PRIVATE -O2)
  tutorial_flags(tutorial_check)
endif()

# tutorial_check_exhibits(<target> <main program> PREFIX 01_elu LABEL elu SOURCES <kernels>...): a bug
# museum, and what must be found in it: a test per line `// check: <name>: <regex>` of the main program.
function(tutorial_check_exhibits target main)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PREFIX;LABEL" "SOURCES")
  file(STRINGS "${main}" lines REGEX "^// check: ")
  if(NOT TARGET tutorial_check OR NOT lines)
    return()
  endif()
  tutorial_sources(sources ${arg_SOURCES} "${main}")
  tutorial_traced_objects(${target}_objects ${sources})
  tutorial_executable(${target} LIBRARIES tutorial_check -Wl,--wrap=main
                      SOURCES "${PROJECT_SOURCE_DIR}/common/check/program.cpp" $<TARGET_OBJECTS:${target}_objects>)
  tutorial_add_exhibits(${target} "${main}" check PREFIX ${arg_PREFIX} LABEL ${arg_LABEL})
endfunction()

# tutorial_add_check(<name> PREFIX 01_elu)
function(tutorial_add_check name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "")
  set(folder ${arg_PREFIX})
  set(yours "${CMAKE_CURRENT_SOURCE_DIR}/launchers/your_${name}.cu")
  if(NOT TARGET tutorial_check OR NOT EXISTS "${yours}")
    return()
  endif()
  set(main "${CMAKE_CURRENT_BINARY_DIR}/check_yours.cpp")
  # A rung with its claims, or a launcher and claims.
  set(rung "check::rung_of(your_${name}), your_${name}_claims()")
  file(STRINGS "${yours}" whole REGEX "your_${name}_rung\\(\\)")
  if(whole)
    set(rung "your_${name}_rung()")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/common/check/yours_main.cpp.in" "${main}" @ONLY)
  add_executable(${folder}_check EXCLUDE_FROM_ALL "${main}" $<TARGET_OBJECTS:${folder}_traced_your_${name}>)
  target_link_libraries(${folder}_check PRIVATE tutorial_check)
  tutorial_flags(${folder}_check)

  # The objects of the tracing program, with another main program.
  if(TARGET ${folder}_trace)
    set(target ${folder}_check_all)
    get_target_property(libraries ${folder}_trace LINK_LIBRARIES)
    get_target_property(objects ${folder}_trace SOURCES)
    list(REMOVE_ITEM libraries tutorial_trace)
    add_executable(${target} EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/common/check/all.cpp" ${objects})
    target_link_libraries(${target} PRIVATE ${libraries} tutorial_bench_parts tutorial_check)
    tutorial_flags(${target})
    add_dependencies(tutorial_checks ${target})
    set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.ctest.cmake")
    file(GENERATE OUTPUT "${script}" CONTENT
"if(EXISTS [==[$<TARGET_FILE:${target}>]==])
add_test([==[${folder}.check]==] [==[$<TARGET_FILE:${target}>]==])
set_tests_properties([==[${folder}.check]==] PROPERTIES LABELS [==[${name}]==] TIMEOUT ${tutorial_long_timeout})
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
  endif()

  file(GLOB exhibits CONFIGURE_DEPENDS museum/exhibits*.cu)
  set(main "${CMAKE_CURRENT_SOURCE_DIR}/museum/exhibits_asan.cpp")
  if(EXISTS "${main}")
    tutorial_check_exhibits(${folder}_exhibits_check "${main}" PREFIX ${folder} LABEL ${name}
                            SOURCES ${exhibits})
    if(TARGET ${folder}_exhibits_check)
      add_dependencies(${folder} ${folder}_exhibits_check)
    endif()
  endif()
endfunction()
