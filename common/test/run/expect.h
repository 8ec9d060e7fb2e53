// What the programs here check themselves with.
#pragma once

#include <cstdio>

inline int wrong_count = 0;

/// Says what does not hold; main returns wrong_count.
#define EXPECT(condition)                                     \
  do {                                                        \
    if (!(condition)) {                                       \
      std::printf("line %d: not %s\n", __LINE__, #condition); \
      ++wrong_count;                                          \
    }                                                         \
  } while (0)
