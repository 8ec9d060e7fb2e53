// Loads and stores with a caching hint. The hint speaks to a GPU's caches; here they are plain
// loads and stores.
#pragma once

#include "common/executor/qualifiers.h"

#define TUTORIAL_CPU_LOAD(name) \
  template <class T>            \
  T name(const T* address) {    \
    return *address;            \
  }
TUTORIAL_CPU_LOAD(__ldg)
TUTORIAL_CPU_LOAD(__ldca)
TUTORIAL_CPU_LOAD(__ldcg)
TUTORIAL_CPU_LOAD(__ldcs)
TUTORIAL_CPU_LOAD(__ldlu)
TUTORIAL_CPU_LOAD(__ldcv)
#undef TUTORIAL_CPU_LOAD

#define TUTORIAL_CPU_STORE(name)   \
  template <class T>               \
  void name(T* address, T value) { \
    *address = value;              \
  }
TUTORIAL_CPU_STORE(__stwb)
TUTORIAL_CPU_STORE(__stcg)
TUTORIAL_CPU_STORE(__stcs)
TUTORIAL_CPU_STORE(__stwt)
#undef TUTORIAL_CPU_STORE
