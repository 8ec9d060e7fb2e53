// The functors, and the primitives that compute with them.
#include <algorithm>
#include <string>

#include "06_primitives/test_data.h"

using namespace tutorial;
using namespace tutorial::test;
