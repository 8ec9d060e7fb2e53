// assert(), in kernels as on the host. As often included as the C library's, before which it stands.
#ifndef TUTORIAL_FAIL_ASSERTION
#define TUTORIAL_FAIL_ASSERTION
namespace tutorial::cpu {
[[noreturn]] void fail_assertion(const char* text, const char* file, int line,
                                 const char* function);
}
#endif

#undef assert
#if defined(NDEBUG)
#define assert(condition) (static_cast<void>(0))
#else
#define assert(condition)       \
  (static_cast<bool>(condition) \
       ? static_cast<void>(0)   \
       : ::tutorial::cpu::fail_assertion(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
