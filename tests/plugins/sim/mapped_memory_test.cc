#include "plugins/sim/mapped_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <loci/plugin/error.hpp>

namespace loci::sim {
namespace {

constexpr std::uint64_t kBytes = 1 << 20;

TEST(MappedMemoryTest, TheAliasIsReadableAndZeroAtFirst) {
  const MappedMemory memory(kBytes);
  EXPECT_EQ(memory.alias(0)[0], std::byte{0});
  EXPECT_EQ(memory.alias(kBytes - 1)[0], std::byte{0});
  std::memset(memory.alias(100), 7, 8);
  EXPECT_EQ(memory.alias(107)[0], std::byte{7});
}

TEST(MappedMemoryTest, KnowsItsPublicAddresses) {
  const MappedMemory memory(kBytes);
  EXPECT_EQ(memory.offset(memory.address(4096)), 4096U);
  EXPECT_TRUE(memory.contains(memory.address(0), kBytes));
  EXPECT_TRUE(memory.contains(memory.address(kBytes), 0));
  EXPECT_FALSE(memory.contains(memory.address(1), kBytes));
  EXPECT_FALSE(memory.contains(memory.address(0), UINT64_MAX));
  EXPECT_FALSE(memory.contains(&memory, 1));
  EXPECT_FALSE(memory.contains(memory.alias(0), 1));
}

TEST(MappedMemoryTest, MoreThanTheAddressSpaceIsAnError) {
  try {
    const MappedMemory memory(std::uint64_t{1} << 56);
    FAIL() << "that much cannot be mapped";
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_OUT_OF_MEMORY);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("72057594037927936 bytes"));
  }
}

TEST(MappedMemoryDeathTest, TouchingAPublicAddressFaults) {
  const MappedMemory memory(kBytes);
  EXPECT_DEATH(*static_cast<volatile char*>(memory.address(0)) = 1, "");
  EXPECT_DEATH((void)*static_cast<volatile char*>(memory.address(4096)), "");
}

}  // namespace
}  // namespace loci::sim
