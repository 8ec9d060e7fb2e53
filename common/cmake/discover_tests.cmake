# Run by CTest when it starts (see tutorial_add_catch_tests): asks an executable for its test cases
# and registers each. In: executable, prefix, label, orders, catch_version, cmake.

if(NOT EXISTS "${executable}")
  add_test("${prefix}: not built" "${cmake}" -E true)
  set_tests_properties("${prefix}: not built" PROPERTIES DISABLED TRUE LABELS "${label}")
  return()
endif()

# Catch2 2 returns the number of cases as its exit code here, so only the output tells.
if(catch_version VERSION_LESS 3)
  set(list_flags --list-test-names-only)
else()
  set(list_flags --list-tests --verbosity quiet)
endif()
execute_process(COMMAND "${executable}" ${list_flags} "~[.]" OUTPUT_VARIABLE names ERROR_VARIABLE errors)
if(names STREQUAL "")
  # Nothing to list: shown as a test that fails with whatever the executable says.
  list(JOIN list_flags " " list_flags)
  add_test("${prefix}: lists its test cases" sh -c "\"$0\" ${list_flags}; exit 1" "${executable}")
  set_tests_properties("${prefix}: lists its test cases" PROPERTIES LABELS "${label}")
  return()
endif()

# Brackets and semicolons mean something to CMake's lists: they travel as control characters.
string(ASCII 1 open)
string(ASCII 2 close)
string(ASCII 3 semicolon)
string(REPLACE "[" "${open}" names "${names}")
string(REPLACE "]" "${close}" names "${names}")
string(REPLACE ";" "${semicolon}" names "${names}")
string(REGEX REPLACE "[\r\n]+" ";" names "${names}")
foreach(name IN LISTS names)
  if(name STREQUAL "")
    continue()
  endif()
  string(REPLACE "${open}" "[" name "${name}")
  string(REPLACE "${close}" "]" name "${name}")
  string(REPLACE "${semicolon}" ";" name "${name}")
  string(STRIP "${name}" name)
  # What Catch2's test specification gives a meaning to.
  string(REGEX REPLACE "([][,\\\\*~\"])" "\\\\\\1" filter "${name}")
  foreach(order IN LISTS orders)
    set(test "${prefix}.${order}: ${name}")
    # 4 is what the test support and Catch2 3 exit with when a case was skipped. A failing case exits
    # with the number of its failed assertions: --abortx keeps that below 4.
    add_test("${test}" "${executable}" "${filter}" --abortx 3)
    set_tests_properties("${test}" PROPERTIES LABELS "${label}" SKIP_RETURN_CODE 4
                         FAIL_REGULAR_EXPRESSION "No test cases matched")
    if(order STREQUAL "cuda")
      # Tests that use the GPU take turns: they measure memory in gigabytes.
      set_tests_properties("${test}" PROPERTIES RESOURCE_LOCK gpu)
    else()
      set_tests_properties("${test}" PROPERTIES ENVIRONMENT "TUTORIAL_CPU_ORDER=${order}")
    endif()
  endforeach()
endforeach()
