// Loads and stores with a caching hint. The hint speaks to a GPU's caches; here they are plain
// loads and stores.
#pragma once

#include "common/executor/qualifiers.h"

#define TUTORIAL_CPU_LOADS_AND_STORES(T)                        \
  inline T __ldg(const T* address) { return *address; }         \
  inline T __ldca(const T* address) { return *address; }        \
  inline T __ldcg(const T* address) { return *address; }        \
  inline T __ldcs(const T* address) { return *address; }        \
  inline T __ldlu(const T* address) { return *address; }        \
  inline T __ldcv(const T* address) { return *address; }        \
  inline void __stwb(T* address, T value) { *address = value; } \
  inline void __stcg(T* address, T value) { *address = value; } \
  inline void __stcs(T* address, T value) { *address = value; } \
  inline void __stwt(T* address, T value) { *address = value; }

TUTORIAL_CPU_LOADS_AND_STORES(char)
TUTORIAL_CPU_LOADS_AND_STORES(signed char)
TUTORIAL_CPU_LOADS_AND_STORES(unsigned char)
TUTORIAL_CPU_LOADS_AND_STORES(short)
TUTORIAL_CPU_LOADS_AND_STORES(unsigned short)
TUTORIAL_CPU_LOADS_AND_STORES(int)
TUTORIAL_CPU_LOADS_AND_STORES(unsigned)
TUTORIAL_CPU_LOADS_AND_STORES(long)
TUTORIAL_CPU_LOADS_AND_STORES(unsigned long)
TUTORIAL_CPU_LOADS_AND_STORES(long long)
TUTORIAL_CPU_LOADS_AND_STORES(unsigned long long)
TUTORIAL_CPU_LOADS_AND_STORES(float)
TUTORIAL_CPU_LOADS_AND_STORES(double)
TUTORIAL_CPU_LOADS_AND_STORES(char2)
TUTORIAL_CPU_LOADS_AND_STORES(char4)
TUTORIAL_CPU_LOADS_AND_STORES(uchar2)
TUTORIAL_CPU_LOADS_AND_STORES(uchar4)
TUTORIAL_CPU_LOADS_AND_STORES(short2)
TUTORIAL_CPU_LOADS_AND_STORES(short4)
TUTORIAL_CPU_LOADS_AND_STORES(ushort2)
TUTORIAL_CPU_LOADS_AND_STORES(ushort4)
TUTORIAL_CPU_LOADS_AND_STORES(int2)
TUTORIAL_CPU_LOADS_AND_STORES(int4)
TUTORIAL_CPU_LOADS_AND_STORES(uint2)
TUTORIAL_CPU_LOADS_AND_STORES(uint4)
TUTORIAL_CPU_LOADS_AND_STORES(longlong2)
TUTORIAL_CPU_LOADS_AND_STORES(ulonglong2)
TUTORIAL_CPU_LOADS_AND_STORES(float2)
TUTORIAL_CPU_LOADS_AND_STORES(float4)
TUTORIAL_CPU_LOADS_AND_STORES(double2)
TUTORIAL_CPU_LOADS_AND_STORES(__half)
TUTORIAL_CPU_LOADS_AND_STORES(__half2)
TUTORIAL_CPU_LOADS_AND_STORES(__nv_bfloat16)
TUTORIAL_CPU_LOADS_AND_STORES(__nv_bfloat162)
#undef TUTORIAL_CPU_LOADS_AND_STORES
