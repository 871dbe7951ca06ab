// Memory of captured graphs: what nobody else is given, and whose addresses stay as long as a graph
// has them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "framework/core/context.h"
#include "framework/memory/private_pool.h"
#include "framework/tensor/tensor_impl.h"
#include "framework/tensor/uses.h"

namespace loci::capture {

// Addresses of one memory space: [begin, begin + bytes).
struct Extent {
  device::Device* space = nullptr;  // null: the host's
  std::uintptr_t begin = 0;
  std::uint64_t bytes = 0;
};
// Sorted, joined where they meet.
[[nodiscard]] std::vector<Extent> united(std::vector<Extent> extents);
// Returns true if one of the extents, which are united, has a byte of `extent`.
[[nodiscard]] bool meet(const std::vector<Extent>& extents, const Extent& extent);

// Shared by graphs and by the tensors that they have made. Thread-safe.
class GraphMemory {
 public:
  // The last owner ends it, once nothing of it is in use: until then it is kept.
  static std::shared_ptr<GraphMemory> make();

  // Allocates in the space (null: the host's) for work of that stream. Throws Error(kOutOfMemory).
  [[nodiscard]] memory::Buffer allocate(device::Device* space, std::uint64_t bytes,
                                        loci_stream* stream, const char* name);
  // Allocates memory that a graph keeps from the capture, or the beginning of a replay, to the end
  // of its work: nothing of it is, or was, a block that allocate() gives, which other work of the
  // same graph writes in each replay.
  [[nodiscard]] memory::Buffer allocate_kept(device::Device* space, std::uint64_t bytes,
                                             loci_stream* stream, const char* name);
  // Sums over its spaces, with what a graph has beside them.
  [[nodiscard]] memory::Stats stats() const;
  // Host memory that a graph has taken for replays alone, or gives back: it counts as held.
  void take_beside(std::uint64_t bytes) noexcept { beside_bytes_ += bytes; }
  void give_beside(std::uint64_t bytes) noexcept { beside_bytes_ -= bytes; }

  // Replays of its graphs come one after the other, since they use the same memory.
  [[nodiscard]] tensor::Uses& uses() noexcept { return uses_; }
  // True once several graphs have been captured into it.
  [[nodiscard]] bool is_shared() const noexcept {
    return member_count_.load(std::memory_order_acquire) > 1;
  }

  // A graph that has been captured: all memory that it writes, united, and which of that outlives
  // the capture. Gives those outputs of earlier graphs' successors that a replay overwrites.
  using Outputs = std::vector<std::weak_ptr<tensor::Storage>>;
  void enter(std::uint64_t graph, std::vector<Extent> written, const Outputs& outputs);
  void leave(std::uint64_t graph) noexcept;
  // Gives memory back that neither a graph uses nor a tensor has. Waits for the devices. Throws
  // Error(kInvalidArgument) while a graph is captured into it.
  void give_back();
  // Stands for a graph that is being captured, until it has entered or was given up.
  class OpenCapture {
   public:
    explicit OpenCapture(GraphMemory& memory);
    ~OpenCapture();
    OpenCapture(const OpenCapture&) = delete;
    OpenCapture& operator=(const OpenCapture&) = delete;

   private:
    GraphMemory& memory_;
  };
  // The tensors that a replay of that graph overwrites: outputs of graphs that were captured later.
  // Null where there is none.
  [[nodiscard]] std::shared_ptr<const Outputs> overwritten_by(std::uint64_t graph) const;

 private:
  struct Member {
    std::uint64_t graph = 0;
    std::vector<Extent> written;
    std::shared_ptr<const Outputs> overwrites;
  };

  using Pools = std::map<device::Device*, std::unique_ptr<memory::PrivatePool>>;

  memory::PrivatePool& pool_of(device::Device* space, Pools& pools);

  core::ContextUse use_;  // first, so that what follows ends within it
  mutable std::mutex mutex_;
  Pools pools_;
  Pools kept_pools_;
  std::vector<Member> members_;  // in the order of their capture
  std::atomic<std::size_t> member_count_{0};
  std::size_t open_captures_ = 0;
  std::atomic<bool> any_overwritten_{false};
  std::atomic<std::uint64_t> beside_bytes_{0};
  tensor::Uses uses_;
};

}  // namespace loci::capture
