# Libraries: what the system has comes first; on systems without packages for them, Catch2 and
# Google Benchmark are fetched at a pinned version.
include(FetchContent)
find_package(Threads REQUIRED)
find_package(Python3 3.9 COMPONENTS Interpreter)
option(TUTORIAL_TESTS "Build the tests and the benchmarks, which need Catch2 and Google Benchmark"
       ${PROJECT_IS_TOP_LEVEL})

if(TUTORIAL_TESTS)
  # Debian 12 has Catch2 2.13, Ubuntu 24.04 and Debian 13 have 3.x. A version range matches neither:
  # ask for any and look at what came.
  find_package(Catch2 QUIET)
  if(NOT Catch2_FOUND)
    message(STATUS "tutorial: Catch2 is not installed; fetching v2.13.10")
    FetchContent_Declare(Catch2 GIT_REPOSITORY https://github.com/catchorg/Catch2.git
                         GIT_TAG v2.13.10 GIT_SHALLOW TRUE)
    FetchContent_MakeAvailable(Catch2)
    set(Catch2_VERSION 2.13.10)
  endif()
  if(Catch2_VERSION VERSION_LESS 2.13)
    message(FATAL_ERROR "Catch2 ${Catch2_VERSION} is too old: 2.13 or newer is needed.")
  endif()
  # catch_discover_tests(): beside the package's configuration, or in the fetched sources.
  foreach(folder "${Catch2_DIR}" "${catch2_SOURCE_DIR}/contrib" "${catch2_SOURCE_DIR}/extras")
    if(NOT COMMAND catch_discover_tests AND EXISTS "${folder}/Catch.cmake")
      include("${folder}/Catch.cmake")
    endif()
  endforeach()

  find_package(benchmark 1.6 QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "tutorial: Google Benchmark is not installed; fetching v1.8.3")
    set(BENCHMARK_ENABLE_TESTING OFF)
    set(BENCHMARK_ENABLE_INSTALL OFF)
    set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
    FetchContent_Declare(benchmark GIT_REPOSITORY https://github.com/google/benchmark.git
                         GIT_TAG v1.8.3 GIT_SHALLOW TRUE)
    FetchContent_MakeAvailable(benchmark)
  endif()
endif()

# The executor's fibers. BoostConfig where it is installed; by hand otherwise, because CMake 3.30
# retired its own FindBoost.
if(NOT TUTORIAL_ON_GPU)
  find_package(Boost 1.66 QUIET CONFIG COMPONENTS context)
  if(NOT TARGET Boost::context)
    find_path(TUTORIAL_BOOST_INCLUDE_DIR boost/context/fiber.hpp)
    find_library(TUTORIAL_BOOST_CONTEXT boost_context)
    if(NOT TUTORIAL_BOOST_INCLUDE_DIR OR NOT TUTORIAL_BOOST_CONTEXT)
      message(FATAL_ERROR "Boost.Context is not installed: run ./tutorial setup, or install it "
                          "(Debian, Ubuntu: libboost-context-dev; Fedora: boost-devel).")
    endif()
    add_library(Boost::context UNKNOWN IMPORTED)
    set_target_properties(Boost::context PROPERTIES
      IMPORTED_LOCATION "${TUTORIAL_BOOST_CONTEXT}"
      INTERFACE_INCLUDE_DIRECTORIES "${TUTORIAL_BOOST_INCLUDE_DIR}")
  endif()
endif()
