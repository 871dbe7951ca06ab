#include "framework/memory/node_pool.h"

#include <array>
#include <cstdint>
#include <mutex>

#include "framework/memory/spin_lock.h"

namespace loci::memory {
namespace {

constexpr std::size_t kUnit = 16;
constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kSizes = NodePool::kMaxBytes / kUnit + 1;
constexpr std::uint32_t kBatch = 32;    // nodes that go between threads at once
constexpr std::uint32_t kMostOwn = 64;  // of a size, in a thread
constexpr std::size_t kMostBatches = 64;

struct Node {
  Node* next;
};

constexpr std::size_t size_index(std::size_t bytes) { return (bytes + kUnit - 1) / kUnit; }

// Another thread may have used it last: its lines come while the caller is busy with other things.
// A number, because there may be no node, and nothing may be added to a null pointer; to fetch that
// has no effect, and needs no branch.
void fetch_for_write(Node* node, std::size_t bytes) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(node);
  for (std::size_t i = 0; i < bytes; i += kCacheLine) {
    __builtin_prefetch(reinterpret_cast<const void*>(address + i), /*rw=*/1);
  }
}

void free_chain(Node* head) noexcept {
  while (head != nullptr) ::operator delete(std::exchange(head, head->next));
}

// Threads exchange nodes as chains of kBatch.
class Batches {
 public:
  // Null if there is none.
  Node* take() noexcept {
    const std::lock_guard lock(lock_);
    return count_ == 0 ? nullptr : heads_[--count_];
  }
  void give(Node* head) noexcept {
    {
      const std::lock_guard lock(lock_);
      if (count_ < kMostBatches) {
        heads_[count_++] = head;
        return;
      }
    }
    free_chain(head);
  }

 private:
  SpinLock lock_;
  std::size_t count_ = 0;
  std::array<Node*, kMostBatches> heads_{};
};

struct Stack {
  Node* head = nullptr;
  std::uint32_t count = 0;
};

// Without a destructor of its own, so that objects that end later than it still find it.
struct Cache {
  std::array<Stack, kSizes> stacks{};
  std::uint32_t most = 0;  // in a stack: none before the thread has an owner, nor after that
  bool has_ended = false;
};

constinit std::array<Batches, kSizes> batches;
constinit thread_local Cache cache;

// Empties the thread's cache when the thread ends.
class Owner {
 public:
  Owner() noexcept { cache.most = kMostOwn; }
  ~Owner() {
    cache.most = 0;
    cache.has_ended = true;
    for (Stack& stack : cache.stacks) free_chain(std::exchange(stack, {}).head);
  }
};

void own_cache() {
  thread_local const Owner owner;
  static_cast<void>(owner);
}

void* refill(std::size_t size) {
  if (!cache.has_ended) {
    own_cache();
    if (Node* head = batches[size].take()) {
      cache.stacks[size] = {head->next, kBatch - 1};
      return head;
    }
  }
  return ::operator new(size* kUnit);
}

// The nodes that were given last but for this one stay: they are in the processor's cache.
void spill(std::size_t size) noexcept {
  Stack& stack = cache.stacks[size];
  Node* last = stack.head;
  for (std::uint32_t i = 1; i < stack.count - kBatch; ++i) last = last->next;
  batches[size].give(std::exchange(last->next, nullptr));
  stack.count -= kBatch;
}

}  // namespace

void* NodePool::take(std::size_t bytes) {
  const std::size_t size = size_index(bytes);
  Stack& stack = cache.stacks[size];
  Node* const head = stack.head;
  if (head == nullptr) [[unlikely]]
    return refill(size);
  stack.head = head->next;
  --stack.count;
  fetch_for_write(stack.head, bytes);
  return head;
}

void NodePool::give(void* node, std::size_t bytes) noexcept {
  const std::size_t size = size_index(bytes);
  Stack& stack = cache.stacks[size];
  if (stack.count >= cache.most) [[unlikely]] {
    if (cache.has_ended) {
      ::operator delete(node);
      return;
    }
    own_cache();
    if (stack.count >= cache.most) spill(size);
  }
  stack.head = ::new (node) Node{stack.head};
  ++stack.count;
}

}  // namespace loci::memory
