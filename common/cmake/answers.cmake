# Worked answers to a chapter's exercises, in its folder answers/. The READMEs show them.
#
#   <answer>.cuh  stands in the place of the chapter's your_<name>.cuh
#   <answer>.cu   a program that checks itself: it prints what is wrong and returns 1
#   <answer>.py   the same in Python
#
# A program that a reader has begun, your_<answer>.cu in the chapter's folder, is the target
# 01_elu_your_<answer>; its test is ./tutorial test elu --yours. 01_elu_your_<answer>_see sees
# each access: it judges them, or says what the launches ask of memory (common/check/program.cpp).
#
# tutorial_add_answers(<name> 01_elu): one executable for each of the first two kinds, which
# nothing but the targets 01_elu_answers and tutorial_answers builds, and a test for each that was
# built. For a .cuh only the one source that includes your_<name>.cuh is compiled again.
add_custom_target(tutorial_answers)

# tutorial_program(<out> <file>): a program in plain CUDA, for the compiler of the backend. For a host compiler
# its launches are rewritten, as ./tutorial run does it.
function(tutorial_program out file)
  if(TUTORIAL_ON_GPU)
    set(${out} "${file}" PARENT_SCOPE)
    return()
  endif()
  get_filename_component(name "${file}" NAME)
  set(rewriter "${PROJECT_SOURCE_DIR}/common/tools/reader/launch_syntax.py")
  set(rewritten "${CMAKE_CURRENT_BINARY_DIR}/programs/${name}.cpp")
  add_custom_command(OUTPUT "${rewritten}" DEPENDS "${file}" "${rewriter}" VERBATIM
                     COMMAND "${Python3_EXECUTABLE}" "${rewriter}" "${file}" "${rewritten}")
  # The shape of a launch may be of any integer type.
  set_source_files_properties("${rewritten}" PROPERTIES COMPILE_OPTIONS "-include;common/run/program.h;-Wno-conversion")
  set(${out} "${rewritten}" PARENT_SCOPE)
endfunction()

function(tutorial_add_answers name folder)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/answers")
  file(GLOB yours CONFIGURE_DEPENDS answers/*.cuh)
  file(GLOB programs CONFIGURE_DEPENDS answers/*.cu)
  file(GLOB begun CONFIGURE_DEPENDS your_*.cu)
  if(NOT Python3_EXECUTABLE)
    unset(programs)
    unset(begun)
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS answers/*.py)
  add_custom_target(${folder}_answers)
  add_dependencies(tutorial_answers ${folder}_answers)

  if(yours AND TARGET ${folder}_test)
    tutorial_sources_of(sources ${name})
    foreach(source IN LISTS sources)
      file(STRINGS "${source}" included REGEX "your_${name}\\.cuh\"")
      if(included)
        set(with_yours "${source}")
      endif()
    endforeach()
    get_target_property(libraries ${folder}_test LINK_LIBRARIES)
  endif()
  foreach(file IN LISTS yours)
    get_filename_component(answer "${file}" NAME_WE)
    set(target ${folder}_answer_${answer})
    set(include "${CMAKE_CURRENT_BINARY_DIR}/answers/${answer}")
    configure_file("${file}" "${include}/${folder}/your_${name}.cuh" COPYONLY)
    tutorial_executable(${target} EXCLUDE_FROM_ALL LIBRARIES ${libraries}
                        SOURCES "${with_yours}" "$<TARGET_OBJECTS:${folder}_test>")
    target_include_directories(${target} BEFORE PRIVATE "${include}")
    tutorial_answer_test(${target} "${folder}.answer: ${answer}" ${name} "*your rung*")
  endforeach()

  foreach(file IN LISTS programs)
    get_filename_component(answer "${file}" NAME_WE)
    set(target ${folder}_answer_${answer})
    tutorial_program(source "${file}")
    tutorial_executable(${target} EXCLUDE_FROM_ALL SOURCES "${source}" LIBRARIES ${name} tutorial_runtime)
    tutorial_answer_test(${target} "${folder}.answer: ${answer}" ${name})
  endforeach()

  foreach(file IN LISTS begun)
    get_filename_component(answer "${file}" NAME_WE)
    tutorial_program(source "${file}")
    tutorial_executable(${folder}_${answer} EXCLUDE_FROM_ALL SOURCES "${source}" LIBRARIES ${name} tutorial_runtime)
    target_compile_options(${folder}_${answer} PRIVATE ${tutorial_readers_flags})
    if(TARGET tutorial_see)
      set(seen ${folder}_${answer}_see)
      tutorial_seen_objects(${seen}_objects "${source}")
      target_compile_options(${seen}_objects PRIVATE ${tutorial_readers_flags})
      tutorial_executable(${seen} EXCLUDE_FROM_ALL LIBRARIES ${name} tutorial_see_program
                          SOURCES $<TARGET_OBJECTS:${seen}_objects>)
    endif()
  endforeach()

  foreach(file IN LISTS scripts)
    get_filename_component(answer "${file}" NAME_WE)
    tutorial_add_python_test("${folder}.answer: ${answer}" LABEL "${name}" COMMAND "${file}")
  endforeach()
endfunction()

# The tests of an answer, in each order. What a program needs of a GPU it says by the exit code 4, like every test.
macro(tutorial_answer_test target test label)
  add_dependencies(${folder}_answers ${target})
  if(TUTORIAL_ON_GPU)
    set(orders cuda)
  else()
    set(orders forward reverse)
  endif()
  foreach(order IN LISTS orders)
    tutorial_test_if_built("${test} (${order})" ${target} COMMAND "$<TARGET_FILE:${target}>" ${ARGN}
      PROPERTIES LABELS ${label} SKIP_RETURN_CODE 4 TIMEOUT ${tutorial_timeout} ENVIRONMENT TUTORIAL_CPU_ORDER=${order})
  endforeach()
endmacro()
