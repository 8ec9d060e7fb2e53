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

# tutorial_executable(<target> SOURCES <file>... LIBRARIES <target>...)
function(tutorial_executable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  tutorial_flags(${target})
endfunction()

# tutorial_chapter(elu), from the CMakeLists.txt of a folder such as 01_elu, makes
#
#   elu                   static library: elu.cu, and every elu_*.cu but the peers'
#   01_elu_test           elu_test.cpp, and every elu_test_*.cpp; exhibits.cu and
#                         exhibits_*.cu; every test_kernels*.cu, for kernels that only the tests need
#   01_elu_bench          elu_bench.cpp, elu_peers.cu
#   01_elu_exhibits_asan  the exhibits and exhibits_asan.cpp with AddressSanitizer (cpu backend)
#   01_elu_fuzz           elu_fuzz.cpp: random calls, checked (cpu backend)
#   01_elu_torch          elu_torch.cpp: the bindings to PyTorch, if TUTORIAL_TORCH asks for them
#   01_elu                all of these and nothing of another chapter
#   01_elu_answers        the worked answers in answers/, which nothing else builds
#
# and registers the chapter's tests with the label elu: the test cases, the exhibits under
# AddressSanitizer, what codegen.json says of the machine code, and test_torch.py. A file that a
# chapter does not have leaves out what it would have made; TUTORIAL_TESTS=OFF, all but the library
# and the bindings.
function(tutorial_chapter name)
  get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  if(NOT folder MATCHES "^[0-9][0-9]_${name}$")
    message(FATAL_ERROR "tutorial_chapter(${name}) stands in the folder ${folder}; "
                        "a chapter's folder is NN_${name}.")
  endif()
  add_custom_target(${folder})

  file(GLOB parts CONFIGURE_DEPENDS ${name}_*.cu)
  list(FILTER parts EXCLUDE REGEX "_peers\\.cu$")
  tutorial_sources(library ${name}.cu ${parts})
  set(libraries "")
  if(library)
    add_library(${name} STATIC ${library})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${name} PUBLIC tutorial_runtime)
    tutorial_flags(${name})
    set(libraries ${name})
    add_dependencies(${folder} ${name})
  endif()

  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${name}_torch.cpp")
    if(TUTORIAL_TORCH)
      tutorial_torch_module(${folder}_torch ${name} "${CMAKE_CURRENT_SOURCE_DIR}/${name}_torch.cpp")
      add_dependencies(${folder} ${folder}_torch)
    endif()
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/test_torch.py")
      tutorial_torch_test("${folder}.torch" ${name} "${CMAKE_CURRENT_SOURCE_DIR}/test_torch.py")
    endif()
  endif()
  if(NOT TUTORIAL_TESTS)
    return()
  endif()

  file(GLOB exhibits CONFIGURE_DEPENDS exhibits.cu exhibits_*.cu)
  file(GLOB parts CONFIGURE_DEPENDS ${name}_test_*.cpp test_kernels*.cu)
  tutorial_sources(tests ${name}_test.cpp ${parts} ${exhibits})
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${name}_test.cpp")
    tutorial_executable(${folder}_test SOURCES ${tests} LIBRARIES ${libraries} tutorial_test_support)
    add_dependencies(${folder} ${folder}_test)
    tutorial_add_catch_tests(${folder}_test PREFIX ${folder} LABEL ${name})
  endif()

  tutorial_sources(bench ${name}_bench.cpp ${name}_peers.cu)
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${name}_bench.cpp")
    tutorial_executable(${folder}_bench SOURCES ${bench} LIBRARIES ${libraries} tutorial_bench_support)
    add_dependencies(${folder} ${folder}_bench)
  endif()

  if(TARGET tutorial_runtime_asan AND EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/exhibits_asan.cpp")
    tutorial_sources(exhibits ${exhibits} exhibits_asan.cpp)
    tutorial_executable(${folder}_exhibits_asan SOURCES ${exhibits} LIBRARIES tutorial_runtime_asan)
    add_dependencies(${folder} ${folder}_exhibits_asan)
    tutorial_add_asan_exhibits(${folder}_exhibits_asan
      "${CMAKE_CURRENT_SOURCE_DIR}/exhibits_asan.cpp" PREFIX ${folder} LABEL ${name})
  endif()

  if(NOT TUTORIAL_ON_GPU AND EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${name}_fuzz.cpp")
    tutorial_add_fuzz(${folder}_fuzz "${CMAKE_CURRENT_SOURCE_DIR}/${name}_fuzz.cpp"
      PREFIX ${folder} LABEL ${name} LIBRARIES ${libraries})
    add_dependencies(${folder} ${folder}_fuzz)
  endif()

  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/codegen.json")
    tutorial_add_codegen_tests("${CMAKE_CURRENT_SOURCE_DIR}/codegen.json" PREFIX ${folder} LABEL ${name})
  endif()
  tutorial_add_answers(${name} PREFIX ${folder})
endfunction()
