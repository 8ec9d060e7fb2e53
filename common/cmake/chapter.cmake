# tutorial_sources(<out> <file>...): the files that exist, with .cu files given to the compiler of
# the backend: nvcc, or the host compiler, to which they are C++.
function(tutorial_sources out)
  set(files "")
  foreach(file IN LISTS ARGN)
    get_filename_component(file "${file}" ABSOLUTE)
    if(EXISTS "${file}")
      list(APPEND files "${file}")
      if(file MATCHES "\\.cu$" AND NOT TUTORIAL_ON_GPU)
        set_source_files_properties("${file}" PROPERTIES LANGUAGE CXX)
      endif()
    endif()
  endforeach()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# tutorial_executable(<target> [EXCLUDE_FROM_ALL] SOURCES <file>... LIBRARIES <target>...)
function(tutorial_executable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  tutorial_flags(${target})
endfunction()

# tutorial_library(<target> <STATIC|OBJECT> [EXCLUDE_FROM_ALL] SOURCES <file>... LIBRARIES <target>...)
function(tutorial_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  tutorial_sources(sources ${arg_SOURCES})
  add_library(${target} ${arg_UNPARSED_ARGUMENTS} ${sources})
  target_link_libraries(${target} PUBLIC ${arg_LIBRARIES})
  tutorial_flags(${target})
endfunction()

# tutorial_strides(<out> <source>...): those of them that loop over any strides.
function(tutorial_strides out)
  set(found "")
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" loops REGEX "^#include .*(strided|broadcast)[a-z_]*[.]cuh")
    if(loops AND source MATCHES "/launchers/")
      list(APPEND found "${source}")
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# tutorial_sources_of(<out> <target>): what tutorial_device_library() was given.
function(tutorial_sources_of out target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "TARGET_OBJECTS")
  if(TARGET ${target}_strides)
    get_target_property(strides ${target}_strides SOURCES)
    list(APPEND sources ${strides})
  endif()
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# tutorial_device_library(<target> <source>...): a static library of kernels and their launchers.
function(tutorial_device_library target)
  # A loop for any strides is compiled for many types and operations, and its tests run a tenth longer without an optimizer, in
  # half the compiler's time; several in one unit take a quarter less again. No precompiled header fits, for those were made with
  # an optimizer, and no check that wants one.
  set(strides "")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TUTORIAL_ON_GPU)
    tutorial_strides(strides ${ARGN})
  endif()
  if(strides)
    tutorial_library(${target}_strides OBJECT SOURCES ${strides} LIBRARIES tutorial_runtime)
    set_target_properties(${target}_strides PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 7)
    target_compile_options(${target}_strides PRIVATE -O0 -U_FORTIFY_SOURCE)
    list(REMOVE_ITEM ARGN ${strides})
  endif()
  tutorial_library(${target} STATIC SOURCES ${ARGN} LIBRARIES tutorial_runtime)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  tutorial_parsed_with(tutorial_runtime ${target})
  if(strides)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_strides>)
  endif()
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" readers REGEX "^#include .*/your_")
    if(readers)
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS ${tutorial_readers_flags})
    endif()
  endforeach()
endfunction()

# tutorial_chapter(elu), from the CMakeLists.txt of a folder such as 01_elu, makes
#
#   elu, tutorial::elu    static library: elu.cu, and the sources of launchers/, backward/ and further topics
#   01_elu_test           elu_test.cpp, proof/elu_test_*.cpp, a topic's elu_backward_test.cpp, the kernels that
#                         only the tests need (proof/test_kernels*.cu), and the museum
#   01_elu_bench          elu_bench.cpp, proof/peers/elu_peers.cu, and what it times of the museum
#   01_elu_exhibits_asan  the museum and its exhibits_asan.cpp with AddressSanitizer (cpu backend)
#   01_elu_fuzz           proof/elu_fuzz.cpp: random calls, checked (cpu backend)
#   01_elu_torch          proof/peers/elu_torch.cpp: the bindings to PyTorch, if TUTORIAL_TORCH asks for them
#   01_elu                all of these and nothing of another chapter
#   01_elu_answers        the worked answers in answers/, which nothing else builds
#   01_elu_see            the kernels with every access recorded or judged, likewise; ..._see_your_elu, ..._see_named some
#
# and registers the chapter's tests with the label elu: the test cases, the exhibits under
# AddressSanitizer, the exhibits that must not compile, the machine code as codegen*.json claims it,
# and proof/peers/test_torch.py. A file that a chapter does not have leaves out what it would have made;
# TUTORIAL_TESTS=OFF leaves out all but the library and the bindings.
function(tutorial_chapter name)
  get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  if(NOT folder MATCHES "^[0-9][0-9]_${name}$")
    message(FATAL_ERROR "tutorial_chapter(${name}) stands in the folder ${folder}; "
                        "a chapter's folder is NN_${name}.")
  endif()
  set(here "${CMAKE_CURRENT_SOURCE_DIR}")
  add_custom_target(${folder})

  file(GLOB library CONFIGURE_DEPENDS ${name}.cu */*.cu)
  list(FILTER library EXCLUDE REGEX "/(answers|proof)/")
  set(libraries "")
  if(library)
    tutorial_device_library(${name} ${library})
    tutorial_exchanges(exchange)
    if(NOT exchange)
      tutorial_compile_quickly(${name})
    endif()
    add_library(tutorial::${name} ALIAS ${name})  # as other projects call it (01_elu/proof/use_it)
    set(libraries ${name})
    add_dependencies(${folder} ${name})
  endif()

  set(torch "${here}/proof/peers/${name}_torch.cpp")
  if(EXISTS "${torch}")
    if(TUTORIAL_TORCH)
      tutorial_torch_module(${folder}_torch ${name} "${torch}")
      add_dependencies(${folder} ${folder}_torch)
    endif()
    if(EXISTS "${here}/proof/peers/test_torch.py")
      tutorial_torch_test("${folder}.torch" ${name} "${here}/proof/peers/test_torch.py")
    endif()
  endif()
  if(NOT TUTORIAL_TESTS)
    return()
  endif()

  # The test shows how the exhibits fail; a benchmark takes from them what it times.
  file(GLOB exhibits CONFIGURE_DEPENDS proof/museum/exhibits*.cu)
  set(museum "")
  if(exhibits)
    set(museum ${folder}_museum)
    tutorial_device_library(${museum} ${exhibits})
    add_dependencies(${folder} ${museum})
  endif()

  file(GLOB kernels CONFIGURE_DEPENDS proof/test_kernels*.cu)
  set(test_kernels "")
  if(kernels)
    set(test_kernels ${folder}_test_kernels)
    tutorial_device_library(${test_kernels} ${kernels})
    tutorial_compile_quickly(${test_kernels})
  endif()
  file(GLOB parts CONFIGURE_DEPENDS proof/${name}_test_*.cpp */${name}_*_test.cpp)
  if(EXISTS "${here}/${name}_test.cpp")
    tutorial_executable(${folder}_test SOURCES ${name}_test.cpp ${parts}
                        LIBRARIES ${test_kernels} ${libraries} ${museum} tutorial_test_support)
    set_target_properties(${folder}_test PROPERTIES ENABLE_EXPORTS ON)  # kernels by their names
    add_dependencies(${folder} ${folder}_test)
    tutorial_add_catch_tests(${folder}_test PREFIX ${folder} LABEL ${name})
  endif()

  file(GLOB peers_sources CONFIGURE_DEPENDS proof/peers/*_peers*.cu)
  set(peers "")
  if(peers_sources)
    set(peers ${folder}_peers)
    tutorial_device_library(${peers} ${peers_sources})
    target_link_libraries(${peers} PRIVATE tutorial_cccl)
  endif()
  if(EXISTS "${here}/${name}_bench.cpp")
    tutorial_executable(${folder}_bench SOURCES ${name}_bench.cpp
                        LIBRARIES ${peers} ${libraries} ${museum} tutorial_bench_support)
    add_dependencies(${folder} ${folder}_bench)
  endif()

  set(asan "${here}/proof/museum/exhibits_asan.cpp")
  if(TARGET tutorial_runtime_asan AND EXISTS "${asan}")
    tutorial_sources(exhibits ${exhibits})
    tutorial_executable(${folder}_exhibits_asan SOURCES ${exhibits} "${asan}"
                        LIBRARIES tutorial_runtime_asan)
    add_dependencies(${folder} ${folder}_exhibits_asan)
    tutorial_add_exhibits(${folder}_exhibits_asan "${asan}" asan PREFIX ${folder} LABEL ${name})
  endif()

  file(GLOB refused CONFIGURE_DEPENDS proof/museum/does_not_compile_*.cu)
  foreach(exhibit IN LISTS refused)
    tutorial_add_refused_exhibit("${exhibit}" PREFIX ${folder} LABEL ${name})
  endforeach()

  if(NOT TUTORIAL_ON_GPU AND EXISTS "${here}/proof/${name}_fuzz.cpp")
    tutorial_add_fuzz(${folder}_fuzz "${here}/proof/${name}_fuzz.cpp"
      PREFIX ${folder} LABEL ${name} LIBRARIES ${libraries})
    add_dependencies(${folder} ${folder}_fuzz)
  endif()

  file(GLOB specs CONFIGURE_DEPENDS */codegen*.json)
  foreach(spec IN LISTS specs)
    tutorial_add_codegen_tests("${spec}" PREFIX ${folder} LABEL ${name})
  endforeach()
  tutorial_add_answers(${name} ${folder})
  tutorial_add_see(${name} ${folder})
endfunction()
