// A thread that executes blocks, with what it needs for that: fibers, dynamic shared memory.
#pragma once

#include "common/executor/aligned_memory.h"
#include "common/executor/block.h"
#include "common/executor/executor.h"
#include "common/executor/fiber.h"
#include "common/executor/kernel_signals.h"
#include "common/executor/late_stores.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tutorial::cpu {

/// Thrown on the stack of a thread whose block has failed, so that the kernel's locals are
/// destroyed and the fiber is free again.
struct Abandoned {};

/// Thrown on the stack of a thread that ends in the middle of its kernel, alone.
struct ThreadEnds {};

/// Where a worker gets its blocks.
class BlockSource {
 public:
  virtual ~BlockSource() = default;

  /// The index of the next block; false if there is none.
  virtual bool take(uint3& index) = 0;
  /// The block that was taken last has failed.
  virtual void fail(const std::string& failure, cudaError_t error) = 0;

  // Of a cluster (cluster.h).
  virtual unsigned cluster_size() const { return 1; }
  /// All threads of the block wait at a cluster barrier; false if another block of the cluster has failed.
  virtual bool meet() { return true; }
  /// The place of `shared` in another block.
  virtual void* of_block(void* shared, unsigned /*rank*/, Where /*where*/) { return shared; }
};

class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  /// The calling thread's worker.
  static Worker& of_this_thread();

  /// Executes blocks of the launch, one after the other, until the source has no more.
  void run_blocks(const Launch& launch, BlockSource& source, bool reverse);

  /// Suspends the running fiber and goes on with the one that the block names next.
  void hand_over();

  /// The block has failed, and the running fiber with all that lies on it is left for good.
  [[noreturn]] void give_up_thread(const KernelSignal& signal);

  /// A fiber that waits for threads to run. Throws std::bad_alloc.
  Fiber* free_fiber();

  /// The fiber that the caller runs on.
  Fiber* running_fiber() const { return running_; }

  void* dynamic_shared() const { return dynamic_shared_.get(); }

  /// Of the running block's thread of that number.
  LateStores& late_stores(std::size_t thread);

  /// Where the running block came from.
  BlockSource& source() const { return *source_; }

 private:
  static Fiber& run_fiber(void* worker);
  bool begin_next_block();
  void end_block();
  bool goes_on_with_next_block();
  bool run_threads();
  void prepare_dynamic_shared(std::size_t bytes);
  void switch_to(Fiber& next);

  const Launch* launch_ = nullptr;
  BlockSource* source_ = nullptr;
  bool reverse_ = false;

  Block block_{*this};
  AlignedMemory dynamic_shared_;
  std::size_t dynamic_shared_bytes_ = 0;
  std::vector<LateStores> late_stores_;  // by thread

  SignalStack signal_stack_;
  StackPool stacks_;
  Fiber own_stack_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_fibers_;
  Fiber* running_ = &own_stack_;
  bool stopping_ = false;
};

}  // namespace tutorial::cpu
