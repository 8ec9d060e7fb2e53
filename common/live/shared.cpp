// `__shared__` variables in a browser: the section that qualifiers.h puts them in. And what no kernel of a page does.

#include "common/executor/later.h"
#include "common/executor/shared_variables.h"
#include "common/trace/extent.h"

namespace tutorial::cpu {

std::vector<SharedVariable> shared_variables() {
  return {{"", __start_tutorial_shared,
           static_cast<std::size_t>(__stop_tutorial_shared - __start_tutorial_shared)}};
}

bool is_shared_variable(const void* address) {
  return trace::thread_locals().holds(reinterpret_cast<std::uintptr_t>(address));
}

bool is_guard(std::uintptr_t) { return false; }
void poison_shared_variables(SharedMark&) {}
void poison_shared_variables_of_files() {}  // live.cpp does, as it does outside of browsers
SharedOfThread& shared_of_this_thread() {
  static SharedOfThread none{};
  return none;
}
char* place_on(SharedOfThread&, const void*) { return nullptr; }  // no cluster
bool is_captured(cudaStream_t) { return false; }
cudaError_t keep(cudaStream_t, Work) { return cudaErrorNotSupported; }

}  // namespace tutorial::cpu
