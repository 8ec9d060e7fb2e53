# Compiler flags. Targets take them with tutorial_flags(target); nothing is set globally except the
# sanitizers of the asan preset, which every object of a program must share.
# (object-size is off because it reports first, and says less, where AddressSanitizer would; null and
# pointer-overflow, because AddressSanitizer stops at the access, and they are a fifth of the compiler's time.)
option(TUTORIAL_SANITIZE "Build everything with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(TUTORIAL_SANITIZE_BOTH_ORDERS "Run the tests under the sanitizers in reverse thread order too" OFF)
set(TUTORIAL_SANITIZER_FLAGS
    -fsanitize=address,undefined -fno-sanitize=object-size,null,pointer-overflow -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ sees uninitialized memory in the standard library's headers once they are instrumented.
  list(APPEND TUTORIAL_SANITIZER_FLAGS -Wno-maybe-uninitialized)
endif()
if(TUTORIAL_SANITIZE)
  if(TUTORIAL_ON_GPU)
    message(FATAL_ERROR "TUTORIAL_SANITIZE is for the cpu backend; on a GPU use compute-sanitizer.")
  endif()
  add_compile_options(${TUTORIAL_SANITIZER_FLAGS})
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(${TUTORIAL_SANITIZER_FLAGS})
endif()

# Warnings are errors on the compilers that this repository is tested with; a newer one may have
# found a new thing to warn about, and that is no reason to stop a reader.
set(tutorial_werror OFF)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
   OR (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19))
  set(tutorial_werror ON)
endif()
option(TUTORIAL_WERROR "Treat warnings in the tutorial's own code as errors" ${tutorial_werror})

# Without optimization nvcc gives a thread as many registers as it likes; blocks of 1,024 threads have 64
# for each, and would not launch.
string(TOUPPER "${CMAKE_BUILD_TYPE}" tutorial_build_type)
if(TUTORIAL_ON_GPU AND "${CMAKE_CUDA_FLAGS} ${CMAKE_CUDA_FLAGS_${tutorial_build_type}}" MATCHES "(^| )(-G|--device-debug)( |$)")
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-maxrregcount=64>")
endif()

# -Wno-unknown-pragmas: `#pragma unroll` means something to nvcc only.
set(tutorial_warnings -Wall -Wextra -Wshadow -Wno-unknown-pragmas)
set(tutorial_cxx_warnings ${tutorial_warnings} -Wconversion)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND tutorial_cxx_warnings -Wno-sign-conversion)  # which g++'s -Wconversion leaves out too
endif()
if(TUTORIAL_WERROR)
  list(APPEND tutorial_cxx_warnings -Werror)
  list(APPEND tutorial_warnings -Werror)
endif()
list(JOIN tutorial_warnings "," tutorial_nvcc_warnings)
# A reader's half-written kernel that does not use a parameter yet, or compares threadIdx.x with an int, is worth a
# warning and no more. An index past the end of an array of its own ends the program: nothing else sees that. (bounds
# lets g++ store a half one past the end, because an assignment of a class takes its address; object-size does not.)
string(CONCAT tutorial_readers_flags "$<$<COMPILE_LANGUAGE:CXX>:-Wno-error=unused-parameter;-Wno-error=unused-variable;"
       "-Wno-error=unused-but-set-variable;-Wno-error=sign-compare;-fsanitize=bounds,object-size;-fsanitize-undefined-trap-on-error>")

function(tutorial_flags target)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${tutorial_cxx_warnings}>")
  if(TUTORIAL_ON_GPU)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${tutorial_nvcc_warnings}>"
      "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${TUTORIAL_WERROR}>>:-Werror=all-warnings>"
      # The interpreter of the line table: ncu and compute-sanitizer name source lines with it.
      "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>")
  endif()
endfunction()

# tutorial_compile_quickly(<target>): a test's own sources take a quarter less to compile by -Og, kernels a third, and both run
# hardly longer: the time goes into the executor, the references, and kernels whose threads take turns to exchange something.
# There g++ takes <regex> for uninitialized.
function(tutorial_compile_quickly target)
  if(NOT TUTORIAL_ON_GPU)
    target_compile_options(${target} PRIVATE "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Og;-Wno-maybe-uninitialized>")
  endif()
endfunction()

# tutorial_parse_once(<target> <header>...): the headers that nearly every source includes are parsed once; this is two thirds
# of a small test's compilation, and half a second of each source of kernels. tutorial_parsed_with(<target> <other>): for
# `other` too, whose code is generated alike. A source that does not include what it uses fails on the cuda backend, which
# has no such header. A compiler's cache takes no such sources, and where some are optimized and some are not, g++ crashes.
function(tutorial_parse_once target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT TUTORIAL_ON_GPU AND NOT TUTORIAL_SANITIZE)
    list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/common/")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

function(tutorial_parsed_with target other)
  get_target_property(headers ${target} PRECOMPILE_HEADERS)
  if(headers)
    target_precompile_headers(${other} REUSE_FROM ${target})
  endif()
endfunction()
