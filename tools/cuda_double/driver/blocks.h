// The driver knows this of memory beyond its bytes: how it was made, and by whom it may be freed.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace loci::cuda_double {

class Context;
class Device;
class Pool;
struct GraphMemory;

struct MemoryBlock {
  enum class Origin { kPlain, kPool, kGraph, kPinned, kRegistered };

  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  Origin origin = Origin::kPlain;
  Context* context = nullptr;
  Device* device = nullptr;
  unsigned flags = 0;          // of pinned and registered memory
  std::uint64_t taken = 0;     // bytes counted by the device
  std::shared_ptr<Pool> pool;  // of stream-ordered memory
  GraphMemory* graph_memory = nullptr;
};

// Guarded by the driver's mutex.
class MemoryBlocks {
 public:
  void add(const MemoryBlock& block) { blocks_[block.base] = block; }
  void remove(std::uint64_t base) { blocks_.erase(base); }
  // NULL: none begins there, or has that byte.
  [[nodiscard]] MemoryBlock* at(std::uint64_t base) {
    const auto found = blocks_.find(base);
    return found == blocks_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] MemoryBlock* around(std::uint64_t address) {
    auto found = blocks_.upper_bound(address);
    if (found == blocks_.begin()) return nullptr;
    --found;
    MemoryBlock& block = found->second;
    return address == block.base || address - block.base < block.bytes ? &block : nullptr;
  }
  [[nodiscard]] std::vector<MemoryBlock> of(const Context& context) const {
    std::vector<MemoryBlock> found;
    for (const auto& [base, block] : blocks_) {
      if (block.context == &context) found.push_back(block);
    }
    return found;
  }
  // The bases of what the pool has given out.
  [[nodiscard]] std::vector<std::uint64_t> of(const Pool& pool) const {
    std::vector<std::uint64_t> found;
    for (const auto& [base, block] : blocks_) {
      if (block.pool.get() == &pool) found.push_back(base);
    }
    return found;
  }

 private:
  std::map<std::uint64_t, MemoryBlock> blocks_;
};

}  // namespace loci::cuda_double
