// Poison for `__shared__` variables: every block finds them full of 0xFF (NaN in every floating
// type), as it finds its dynamic shared memory, and not as the block before it left them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// A qualifier cannot learn the variable's address. So `__shared__` also declares a mark beside the
// variable, and gives the variable's symbol a tag. The first thread of a block that passes the mark
// looks up, in this program's symbol table, the tagged variables of the mark's function, and fills
// them; those that are declared outside of functions are filled when a block begins. In a program without
// a symbol table (strip) they stay as they are.

namespace tutorial::cpu {

/// Stands beside a declaration with `__shared__`: the block that passed it last on this thread.
struct SharedMark {
  std::uint64_t block = ~std::uint64_t{0};  // none yet
};

/// A `__shared__` variable of this thread, in whatever function.
struct SharedVariable {
  std::string name;  ///< "tile"
  char* begin;
  std::size_t bytes;
};

/// All of this program's.
std::vector<SharedVariable> shared_variables();

/// Fills the `__shared__` variables of the mark's function, unless this block already did.
void poison_shared_variables(SharedMark& mark);

/// Fills those that are declared outside of functions.
void poison_shared_variables_of_files();

/// Whether `address` is in a `__shared__` variable of this thread.
bool is_shared_variable(const void* address);

/// The `__shared__` variables of one thread.
struct SharedOfThread {
  char* thread_locals;                  ///< where they lie, in the same order on every thread
  const std::uint64_t* block;           ///< the number of its running block
  std::vector<std::uint64_t> poisoned;  ///< function -> in which block
};

SharedOfThread& shared_of_this_thread();

/// The same variable's place on another thread, filled if its block has not come to the declaration. nullptr if `address`
/// is in none.
char* place_on(SharedOfThread& other, const void* address);

/// Whether `address` is the calling thread's note that a `__shared__` variable of a class has been
/// constructed: for the tracer and the checker (common/trace, common/check).
bool is_guard(std::uintptr_t address);

}  // namespace tutorial::cpu
