#include "framework/capture/graph_memory.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "framework/core/raise.h"
#include "framework/device/device_manager.h"

namespace loci::capture {
namespace {

// Those that have no owner any more, while work that is under way still has memory of theirs.
class EndedMemory {
 public:
  static constexpr auto kContextSlot = core::ContextSlot::kGraphPools;
  // These have to outlive it, so that they are made before it.
  EndedMemory() {
    device::DeviceManager::instance();
    memory::host_allocator();
  }

  void add(std::unique_ptr<GraphMemory> memory) {
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(memory));
  }
  void sweep() {
    const std::lock_guard lock(mutex_);
    std::erase_if(kept_, [](const auto& memory) { return memory->stats().in_use == 0; });
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<GraphMemory>> kept_;
};

}  // namespace

std::vector<Extent> united(std::vector<Extent> extents) {
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return std::tie(a.space, a.begin) < std::tie(b.space, b.begin);
  });
  std::vector<Extent> result;
  for (const Extent& extent : extents) {
    if (extent.bytes == 0) continue;
    if (!result.empty() && result.back().space == extent.space &&
        extent.begin <= result.back().begin + result.back().bytes) {
      Extent& last = result.back();
      last.bytes = std::max(last.bytes, extent.begin + extent.bytes - last.begin);
    } else {
      result.push_back(extent);
    }
  }
  return result;
}

bool meet(const std::vector<Extent>& extents, const Extent& extent) {
  if (extent.bytes == 0) return false;
  const auto after = std::upper_bound(extents.begin(), extents.end(), extent,
                                      [](const Extent& a, const Extent& b) {
                                        return std::make_tuple(a.space, a.begin + a.bytes) <
                                               std::make_tuple(b.space, b.begin + b.bytes);
                                      });
  const auto meets = [&](const Extent& other) {
    return other.space == extent.space && other.begin < extent.begin + extent.bytes &&
           extent.begin < other.begin + other.bytes;
  };
  if (after != extents.end() && meets(*after)) return true;
  return after != extents.begin() && meets(*std::prev(after));
}

std::shared_ptr<GraphMemory> GraphMemory::make() {
  core::in_context<EndedMemory>().sweep();
  core::Context* context = &core::Context::current();
  return {new GraphMemory(), [context](GraphMemory* memory) {
            std::unique_ptr<GraphMemory> owned(memory);
            if (owned->stats().in_use == 0) return;
            context->get<EndedMemory>().add(std::move(owned));
          }};
}

memory::PrivatePool& GraphMemory::pool_of(device::Device* space, Pools& pools) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<memory::PrivatePool>& pool = pools[space];
  if (pool == nullptr) {
    pool = space == nullptr ? std::make_unique<memory::PrivatePool>()
                            : std::make_unique<memory::PrivatePool>(*space);
  }
  return *pool;
}

memory::Buffer GraphMemory::allocate(device::Device* space, std::uint64_t bytes,
                                     loci_stream* stream, const char* name) {
  return pool_of(space, pools_).allocate(bytes, stream, name);
}

memory::Buffer GraphMemory::allocate_kept(device::Device* space, std::uint64_t bytes,
                                          loci_stream* stream, const char* name) {
  return pool_of(space, kept_pools_).allocate(bytes, stream, name);
}

memory::Stats GraphMemory::stats() const {
  const std::lock_guard lock(mutex_);
  memory::Stats sum;
  for (const Pools* pools : {&pools_, &kept_pools_}) {
    for (const auto& [space, pool] : *pools) {
      const memory::Stats stats = pool->stats();
      sum.in_use += stats.in_use;
      sum.cached += stats.cached;
      sum.peak_in_use += stats.peak_in_use;
      sum.allocations += stats.allocations;
      sum.backend_allocations += stats.backend_allocations;
    }
  }
  sum.cached += beside_bytes_.load(std::memory_order_relaxed);
  return sum;
}

void GraphMemory::enter(std::uint64_t graph, std::vector<Extent> written, const Outputs& outputs) {
  const std::lock_guard lock(mutex_);
  for (Member& earlier : members_) {
    Outputs overwritten;
    for (const std::weak_ptr<tensor::Storage>& output : outputs) {
      const std::shared_ptr<tensor::Storage> storage = output.lock();
      if (storage != nullptr &&
          meet(earlier.written, {storage->device, reinterpret_cast<std::uintptr_t>(storage->data),
                                 storage->bytes})) {
        overwritten.push_back(output);
      }
    }
    if (overwritten.empty()) continue;
    // A replay may be reading the former list.
    if (earlier.overwrites != nullptr) {
      overwritten.insert(overwritten.end(), earlier.overwrites->begin(), earlier.overwrites->end());
    }
    earlier.overwrites = std::make_shared<const Outputs>(std::move(overwritten));
    any_overwritten_.store(true, std::memory_order_release);
  }
  members_.push_back({graph, std::move(written), nullptr});
  member_count_.store(members_.size(), std::memory_order_release);
}

void GraphMemory::leave(std::uint64_t graph) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(members_, [graph](const Member& member) { return member.graph == graph; });
  member_count_.store(members_.size(), std::memory_order_release);
}

GraphMemory::OpenCapture::OpenCapture(GraphMemory& memory) : memory_(memory) {
  const std::lock_guard lock(memory_.mutex_);
  ++memory_.open_captures_;
}

GraphMemory::OpenCapture::~OpenCapture() {
  const std::lock_guard lock(memory_.mutex_);
  --memory_.open_captures_;
}

void GraphMemory::give_back() {
  const std::lock_guard lock(mutex_);
  if (open_captures_ != 0) {
    core::raise(ErrorCode::kInvalidArgument,
                "[capture] empty_cache() of a graph pool into which a graph is being captured; end "
                "the capture first");
  }
  for (const auto& [space, pool] : pools_) {
    pool->give_back([this, space = space](const void* data, std::uint64_t bytes) {
      const Extent segment{space, reinterpret_cast<std::uintptr_t>(data), bytes};
      return std::none_of(members_.begin(), members_.end(), [&segment](const Member& member) {
        return meet(member.written, segment);
      });
    });
  }
  for (const auto& [space, pool] : kept_pools_) {
    pool->give_back([](const void* /*data*/, std::uint64_t /*bytes*/) { return true; });
  }
}

std::shared_ptr<const GraphMemory::Outputs> GraphMemory::overwritten_by(std::uint64_t graph) const {
  if (!any_overwritten_.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(mutex_);
  for (const Member& member : members_) {
    if (member.graph == graph) return member.overwrites;
  }
  return nullptr;
}

}  // namespace loci::capture
