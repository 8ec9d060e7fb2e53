// Atomics, on global and on shared memory. Blocks run on several cores, so these are real ones.
// Integers wrap. Every function returns the value that it found.
#pragma once

#include "common/executor/bit_cast.h"
#include "common/executor/qualifiers.h"

#include <type_traits>

namespace tutorial::cpu {

/// Replaces *address by update(*address) atomically; Bits is an unsigned integer of T's size.
template <class Bits, class T, class Update>
T atomic_update(T* address, Update update) {
  static_assert(sizeof(Bits) == sizeof(T));
  auto* const bits = reinterpret_cast<Bits*>(address);
  Bits found = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (true) {
    const T old = bit_cast<T>(found);
    const auto desired = bit_cast<Bits>(update(old));
    if (__atomic_compare_exchange_n(bits, &found, desired, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED)) {
      return old;
    }
  }
}

template <class T>
T atomic_min(T* address, T value) {
  return atomic_update<std::make_unsigned_t<T>>(address,
                                                [=](T old) { return value < old ? value : old; });
}

template <class T>
T atomic_max(T* address, T value) {
  return atomic_update<std::make_unsigned_t<T>>(address,
                                                [=](T old) { return value > old ? value : old; });
}

}  // namespace tutorial::cpu

// The operations that a host CPU has for integers.
#define TUTORIAL_CPU_ATOMIC(T, function, builtin) \
  inline T function(T* address, T value) { return builtin(address, value, __ATOMIC_SEQ_CST); }
#define TUTORIAL_CPU_INTEGER_ATOMICS(T)                                                         \
  TUTORIAL_CPU_ATOMIC(T, atomicAdd, __atomic_fetch_add)                                         \
  TUTORIAL_CPU_ATOMIC(T, atomicAnd, __atomic_fetch_and)                                         \
  TUTORIAL_CPU_ATOMIC(T, atomicOr, __atomic_fetch_or)                                           \
  TUTORIAL_CPU_ATOMIC(T, atomicXor, __atomic_fetch_xor)                                         \
  TUTORIAL_CPU_ATOMIC(T, atomicExch, __atomic_exchange_n)                                       \
  inline T atomicMin(T* address, T value) { return tutorial::cpu::atomic_min(address, value); } \
  inline T atomicMax(T* address, T value) { return tutorial::cpu::atomic_max(address, value); } \
  inline T atomicCAS(T* address, T expected, T value) {                                         \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST,             \
                                __ATOMIC_SEQ_CST);                                              \
    return expected;                                                                            \
  }
TUTORIAL_CPU_INTEGER_ATOMICS(int)
TUTORIAL_CPU_INTEGER_ATOMICS(unsigned)
TUTORIAL_CPU_INTEGER_ATOMICS(unsigned long long)
TUTORIAL_CPU_ATOMIC(int, atomicSub, __atomic_fetch_sub)
TUTORIAL_CPU_ATOMIC(unsigned, atomicSub, __atomic_fetch_sub)
#undef TUTORIAL_CPU_INTEGER_ATOMICS
#undef TUTORIAL_CPU_ATOMIC

/// CUDA has the signed 64-bit minimum and maximum, and no other signed 64-bit atomic.
inline long long atomicMin(long long* address, long long value) {
  return tutorial::cpu::atomic_min(address, value);
}
inline long long atomicMax(long long* address, long long value) {
  return tutorial::cpu::atomic_max(address, value);
}

/// Counts up to `limit`, then starts again from 0.
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return tutorial::cpu::atomic_update<unsigned>(
      address, [=](unsigned old) { return old >= limit ? 0U : old + 1U; });
}

/// Counts down to 0, then starts again from `limit`.
inline unsigned atomicDec(unsigned* address, unsigned limit) {
  return tutorial::cpu::atomic_update<unsigned>(
      address, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1U; });
}

inline float atomicAdd(float* address, float value) {
  return tutorial::cpu::atomic_update<unsigned>(address, [=](float old) { return old + value; });
}
/// A template, so that a program may bring the one that devices before compute capability 6.0 lacked.
template <class = void>
double atomicAdd(double* address, double value) {
  return tutorial::cpu::atomic_update<unsigned long long>(address,
                                                          [=](double old) { return old + value; });
}
inline float2 atomicAdd(float2* address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
inline float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
          atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};
}
#define TUTORIAL_CPU_HALF_ADD(T, Bits, add)                                                     \
  inline T atomicAdd(T* address, T value) {                                                     \
    return tutorial::cpu::atomic_update<Bits>(address, [=](T old) { return add(old, value); }); \
  }
TUTORIAL_CPU_HALF_ADD(__half, unsigned short, __hadd)
TUTORIAL_CPU_HALF_ADD(__half2, unsigned, __hadd2)
TUTORIAL_CPU_HALF_ADD(__nv_bfloat16, unsigned short, __hadd)
TUTORIAL_CPU_HALF_ADD(__nv_bfloat162, unsigned, __hadd2)
#undef TUTORIAL_CPU_HALF_ADD

inline float atomicExch(float* address, float value) {
  return tutorial::cpu::atomic_update<unsigned>(address, [=](float) { return value; });
}

inline unsigned short atomicCAS(unsigned short* address, unsigned short expected,
                                unsigned short value) {
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

// All threads are of one machine and see one memory: the scope of an atomic makes no difference.

#define TUTORIAL_CPU_SCOPES(name)                    \
  template <class T, class... Values>                \
  T name##_block(T* address, Values... values) {     \
    return name(address, static_cast<T>(values)...); \
  }                                                  \
  template <class T, class... Values>                \
  T name##_system(T* address, Values... values) {    \
    return name(address, static_cast<T>(values)...); \
  }
TUTORIAL_CPU_SCOPES(atomicAdd)
TUTORIAL_CPU_SCOPES(atomicSub)
TUTORIAL_CPU_SCOPES(atomicExch)
TUTORIAL_CPU_SCOPES(atomicMin)
TUTORIAL_CPU_SCOPES(atomicMax)
TUTORIAL_CPU_SCOPES(atomicInc)
TUTORIAL_CPU_SCOPES(atomicDec)
TUTORIAL_CPU_SCOPES(atomicCAS)
TUTORIAL_CPU_SCOPES(atomicAnd)
TUTORIAL_CPU_SCOPES(atomicOr)
TUTORIAL_CPU_SCOPES(atomicXor)
#undef TUTORIAL_CPU_SCOPES
