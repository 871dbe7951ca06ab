#include "plugins/cpu/onednn/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/error.hpp>
#include <vector>

namespace loci::cpu::onednn {
namespace {

dnnl::memory::desc floats(std::int64_t count) {
  return {{count}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a};
}

// In one test, as the canaries stay for the process.
TEST(Workspace, HasCanariesBehindEachPieceOnceTheyAreAskedFor) {
  Workspace plain;
  EXPECT_EQ(plain.reserve(floats(3), "one"), 0U);
  EXPECT_EQ(plain.reserve(floats(16), "two"), 64U);
  EXPECT_EQ(plain.bytes(), 128U);

  use_canaries_in_workspaces();
  Workspace guarded;
  EXPECT_EQ(guarded.reserve(floats(3), "one"), 0U);
  EXPECT_EQ(guarded.reserve(dnnl::memory::desc(), "nothing"), guarded.bytes());
  const std::uint64_t second = guarded.reserve(floats(16), "two");
  EXPECT_GT(second, 64U);
  std::vector<std::byte> memory(guarded.bytes());
  guarded.paint(memory.data());
  std::fill_n(memory.begin(), 12, std::byte{1});
  std::fill_n(memory.begin() + static_cast<std::ptrdiff_t>(second), 64, std::byte{1});
  EXPECT_NO_THROW(guarded.check(memory.data()));
  memory[second + 64 + 20] = std::byte{1};
  try {
    guarded.check(memory.data());
    FAIL() << "a canary was changed";
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_INTERNAL);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("wrote 1 bytes behind two of 64 bytes in its "
                                                   "workspace, the first 20 bytes behind its end"));
  }
}

}  // namespace
}  // namespace loci::cpu::onednn
