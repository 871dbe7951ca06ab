#include "framework/memory/node_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace loci::memory {
namespace {

// A size that the framework's own objects do not use.
constexpr std::size_t kBytes = 500;

std::vector<void*> take(std::size_t count) {
  std::vector<void*> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    nodes.push_back(NodePool::take(kBytes));
    std::memset(nodes.back(), static_cast<int>(i), kBytes);
  }
  return nodes;
}

void give(const std::vector<void*>& nodes) {
  for (void* node : nodes) NodePool::give(node, kBytes);
}

TEST(NodePoolTest, LiveNodesAreApart) {
  const std::vector<void*> nodes = take(300);
  std::set<std::uintptr_t> starts;
  for (void* node : nodes) starts.insert(reinterpret_cast<std::uintptr_t>(node));
  EXPECT_EQ(starts.size(), nodes.size());
  for (auto next = std::next(starts.begin()); next != starts.end(); ++next) {
    EXPECT_GE(*next - *std::prev(next), kBytes);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(static_cast<unsigned char*>(nodes[i])[kBytes - 1], i % 256);
  }
  give(nodes);
}

TEST(NodePoolTest, ANodeIsUsedAgain) {
  void* first = NodePool::take(kBytes);
  NodePool::give(first, kBytes);
  void* second = NodePool::take(kBytes);
  EXPECT_EQ(second, first);
  NodePool::give(second, kBytes);
}

TEST(NodePoolTest, NodesComeBackFromTheThreadThatEndedThem) {
  const std::vector<void*> nodes = take(256);
  std::thread([&] { give(nodes); }).join();
  // In whole batches; a thread's last nodes end with it.
  const std::set<void*> known(nodes.begin(), nodes.end());
  const std::vector<void*> again = take(256);
  std::size_t count = 0;
  for (void* node : again) count += known.count(node);
  EXPECT_GE(count, 128U);
  give(again);
}

TEST(NodePoolTest, ThreadsMayTakeAndGiveAtTheSameTime) {
  std::vector<std::vector<void*>> taken(4);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      threads.emplace_back([&, i] {
        give(taken[i]);
        taken[i] = take(150);
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::swap(taken[0], taken[3]);
    std::swap(taken[1], taken[2]);
  }
  std::set<void*> live;
  for (const std::vector<void*>& nodes : taken) live.insert(nodes.begin(), nodes.end());
  EXPECT_EQ(live.size(), 600U);
  for (const std::vector<void*>& nodes : taken) give(nodes);
}

TEST(NodePoolTest, TakesMoreThanItKeeps) { give(take(10'000)); }

// Its destructor runs after that of the thread's cache, which the first node of a thread makes.
class Late {
 public:
  ~Late() {
    NodePool::give(node, kBytes);
    NodePool::give(NodePool::take(kBytes), kBytes);
  }
  void* node = nullptr;
};

TEST(NodePoolTest, ServesObjectsThatEndAfterTheThreadsCache) {
  std::thread([] {
    thread_local Late late;
    late.node = NodePool::take(kBytes);
  }).join();
}

TEST(PooledAllocatorTest, MakesSharedObjects) {
  struct Large {
    char bytes[2 * NodePool::kMaxBytes] = {};
  };
  EXPECT_EQ(*make_pooled<int>(7), 7);
  EXPECT_EQ(make_pooled<Large>()->bytes[3], 0);
  std::vector<int, PooledAllocator<int>> list;
  for (int i = 0; i < 100; ++i) list.push_back(i);
  EXPECT_EQ(list[99], 99);
}

}  // namespace
}  // namespace loci::memory
