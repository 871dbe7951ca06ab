#include "framework/capture/graph_temporaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "framework/device_graph/graph_items.h"

namespace loci::capture {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::shared_ptr<tensor::Storage> storage(void* data, std::uint64_t bytes) {
  auto made = std::make_shared<tensor::Storage>();
  made->data = data;
  made->bytes = bytes;
  return made;
}

TEST(GraphTemporariesTest, WhatNobodyHasAnyMoreIsOne) {
  GraphTemporaries temporaries;
  int ended = 0;
  int kept = 0;
  const auto output = storage(&kept, sizeof kept);
  {
    const auto made = storage(&ended, sizeof ended);
    temporaries.note_use(made, {3, 2});
    temporaries.note_use(output, {4, 1});
    temporaries.note_use(made, {4, 0});
  }
  const std::vector<GraphTemporary> all = temporaries.take_ended();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].data, reinterpret_cast<std::uintptr_t>(&ended));
  EXPECT_EQ(all[0].bytes, sizeof ended);
  ASSERT_THAT(all[0].uses, SizeIs(2));
  EXPECT_EQ(all[0].uses[0].item, 3U);
  EXPECT_EQ(all[0].uses[1].item, 4U);
  EXPECT_EQ(all[0].uses[1].argument, 0U);
}

// One after the other in the same memory: each is one of its own.
TEST(GraphTemporariesTest, AnotherOneMayFollowInItsMemory) {
  GraphTemporaries temporaries;
  int memory = 0;
  for (std::uint32_t item = 0; item < 3; ++item) {
    const auto made = storage(&memory, sizeof memory);
    temporaries.note_use(made, {item, 1});
    temporaries.note_workspace(&memory, sizeof memory, item);
  }
  const std::vector<GraphTemporary> all = temporaries.take_ended();
  ASSERT_THAT(all, SizeIs(6));
  EXPECT_EQ(all[5].uses[0].item, 2U);
  EXPECT_EQ(all[5].uses[0].argument, device_graph::Address::kWorkspace);
}

TEST(GraphTemporariesTest, WhatSomethingElseUsesStays) {
  GraphTemporaries temporaries;
  int before = 0;
  int after = 0;
  {
    const auto first = storage(&before, sizeof before);
    temporaries.pin(first);
    temporaries.note_use(first, {0, 0});
    const auto second = storage(&after, sizeof after);
    temporaries.note_use(second, {1, 0});
    temporaries.pin(second);
    temporaries.note_use(storage(nullptr, 0), {1, 0});
    temporaries.note_workspace(nullptr, 0, 1);
  }
  EXPECT_THAT(temporaries.take_ended(), IsEmpty());
}

}  // namespace
}  // namespace loci::capture
