#include "framework/eager/kept_memory.h"

#include <utility>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using KeptMemoryTest = EagerTest;

memory::Buffer some_memory() { return memory::host_allocator().allocate(64, nullptr, "kept"); }

TEST_F(KeptMemoryTest, ATensorStaysUntilItsTicketHasEnded) {
  KeptMemory kept;
  EXPECT_TRUE(kept.is_empty());
  Tensor tensor = vector({1});
  const std::weak_ptr<tensor::TensorImpl> watched = tensor.impl();
  ASSERT_TRUE(kept.hold(5, tensor.impl()));
  tensor = Tensor();
  kept.release(4);
  EXPECT_FALSE(watched.expired());
  EXPECT_FALSE(kept.is_empty());
  kept.release(5);
  EXPECT_TRUE(watched.expired());
  EXPECT_TRUE(kept.is_empty());
}

TEST_F(KeptMemoryTest, TakesABufferOver) {
  const std::uint64_t before = memory::host_allocator().stats().in_use;
  KeptMemory kept;
  memory::Buffer buffer = some_memory();
  ASSERT_TRUE(kept.hold(1, buffer));
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_GT(memory::host_allocator().stats().in_use, before);
  kept.release(1);
  EXPECT_EQ(memory::host_allocator().stats().in_use, before);
}

// The order in which they came, not that of their tickets.
TEST_F(KeptMemoryTest, WhatCameBehindALaterTicketStaysALittleLonger) {
  KeptMemory kept;
  const Tensor later = vector({1});
  const Tensor earlier = vector({2});
  const auto references = earlier.impl().use_count();
  ASSERT_TRUE(kept.hold(9, later.impl()));
  ASSERT_TRUE(kept.hold(3, earlier.impl()));
  kept.release(3);
  EXPECT_EQ(earlier.impl().use_count(), references + 1);
  kept.release(9);
  EXPECT_EQ(earlier.impl().use_count(), references);
  EXPECT_TRUE(kept.is_empty());
}

}  // namespace
}  // namespace loci::eager
