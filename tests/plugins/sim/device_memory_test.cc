#include "plugins/sim/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/plugin/error.hpp>

#include "plugins/sim/red_zone.h"

namespace loci::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Settings small() {
  Settings settings;
  settings.memory = 64 * 1024;
  return settings;
}

template <class Body>
std::string error_of(loci_code code, Body body) {
  try {
    body();
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "";
}

class DeviceMemoryTest : public ::testing::Test {
 protected:
  void free(const void* pointer) {
    memory_.begin_free(pointer);
    memory_.finish_free(pointer);
  }
  std::byte* alias(const void* pointer, std::uint64_t bytes) {
    return memory_.alias(pointer, bytes, "x");
  }
  DeviceMemory memory_{small(), "sim:0"};
};

TEST_F(DeviceMemoryTest, AllocationsAreAlignedAndCounted) {
  void* first = memory_.allocate(1);
  void* second = memory_.allocate(257);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % kAlignment, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second) % kAlignment, 0U);
  EXPECT_EQ(memory_.used(), 256U + 512U);
  free(first);
  EXPECT_EQ(memory_.used(), 512U);
  free(second);
  EXPECT_EQ(memory_.used(), 0U);
  EXPECT_THAT(memory_.findings(), IsEmpty());
}

TEST_F(DeviceMemoryTest, TheLimitIsExactAndTheErrorSaysWhatIsUsed) {
  void* all = memory_.allocate(64 * 1024);
  EXPECT_THAT(error_of(LOCI_CODE_OUT_OF_MEMORY, [&] { (void)memory_.allocate(1); }),
              HasSubstr("sim:0: 1 bytes do not fit, 65536 of 65536 are in use"));
  free(all);
  EXPECT_NE(error_of(LOCI_CODE_OUT_OF_MEMORY, [&] { (void)memory_.allocate(64 * 1024 + 1); }), "");
  EXPECT_NE(error_of(LOCI_CODE_OUT_OF_MEMORY, [&] { (void)memory_.allocate(UINT64_MAX); }), "");
  free(memory_.allocate(64 * 1024));
}

TEST_F(DeviceMemoryTest, FreedMemoryIsPoisoned) {
  void* pointer = memory_.allocate(16);
  std::byte* data = alias(pointer, 16);
  std::fill_n(data, 16, std::byte{1});
  free(pointer);
  EXPECT_TRUE(std::all_of(data, data + 16, [](std::byte b) { return b == kPoison; }));
}

TEST_F(DeviceMemoryTest, PoisonCanBeTurnedOff) {
  Settings settings = small();
  settings.poison = false;
  DeviceMemory memory(settings, "sim:0");
  void* pointer = memory.allocate(16);
  std::byte* data = memory.alias(pointer, 16, "x");
  *data = std::byte{1};
  memory.begin_free(pointer);
  memory.finish_free(pointer);
  EXPECT_EQ(*data, std::byte{1});
}

TEST_F(DeviceMemoryTest, AByteBehindTheEndIsFoundAtTheFree) {
  void* pointer = memory_.allocate(10);
  alias(pointer, 10)[10] = std::byte{1};
  EXPECT_THAT(error_of(LOCI_CODE_DATA_LOSS, [&] { free(pointer); }),
              HasSubstr("[sim] 0 bytes behind allocation 1 of sim:0 (10 bytes at 0x"));
  EXPECT_EQ(memory_.used(), 0U) << "it is freed all the same";
}

TEST_F(DeviceMemoryTest, AByteBeforeTheStartIsFoundAtTheFree) {
  (void)memory_.allocate(1);
  void* pointer = memory_.allocate(10);
  *(alias(pointer, 10) - 3) = std::byte{1};
  EXPECT_THAT(error_of(LOCI_CODE_DATA_LOSS, [&] { free(pointer); }),
              HasSubstr("[sim] 3 bytes before allocation 2 of sim:0"));
}

TEST_F(DeviceMemoryTest, FindingsNameDamageAndLeaks) {
  void* pointer = memory_.allocate(8);
  EXPECT_THAT(memory_.findings(), ElementsAre(HasSubstr("allocation 1 of sim:0 (8 bytes at")));
  alias(pointer, 8)[8] = std::byte{0};
  EXPECT_THAT(memory_.findings(),
              ElementsAre(HasSubstr("0 bytes behind allocation 1"), HasSubstr("was not freed")));
}

TEST_F(DeviceMemoryTest, OnlyLiveAllocationsHaveAnAlias) {
  void* pointer = memory_.allocate(100);
  EXPECT_EQ(alias(static_cast<char*>(pointer) + 60, 40), alias(pointer, 100) + 60);
  const auto refusal = [&](const void* data, std::uint64_t bytes) {
    return error_of(LOCI_CODE_INVALID_ARGUMENT,
                    [&] { (void)memory_.alias(data, bytes, "input 0"); });
  };
  EXPECT_THAT(refusal(static_cast<char*>(pointer) + 60, 41),
              AllOf(HasSubstr("input 0"), HasSubstr("ends behind allocation 1")));
  EXPECT_THAT(refusal(static_cast<char*>(pointer) - 1, 1), HasSubstr("is not allocated"));
  EXPECT_THAT(refusal(&memory_, 1), HasSubstr("is not memory of this device"));
  memory_.begin_free(pointer);
  EXPECT_THAT(refusal(pointer, 1), HasSubstr("is freed: allocation 1"));
  EXPECT_TRUE(memory_.has_pending_frees());
  memory_.finish_free(pointer);
  EXPECT_FALSE(memory_.has_pending_frees());
  EXPECT_THAT(refusal(pointer, 1), HasSubstr("is not allocated"));
}

TEST_F(DeviceMemoryTest, AFreeThatDoesNotBelongIsRefused) {
  void* pointer = memory_.allocate(512);
  const auto refusal = [&](const void* data) {
    return error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { (void)memory_.begin_free(data); });
  };
  EXPECT_THAT(refusal(static_cast<char*>(pointer) + 256), HasSubstr("is no allocation"));
  EXPECT_THAT(refusal(&memory_), HasSubstr("is no allocation"));
  memory_.begin_free(pointer);
  EXPECT_THAT(refusal(pointer), HasSubstr("allocation 1 of sim:0 (512 bytes"));
  memory_.finish_free(pointer);
}

}  // namespace
}  // namespace loci::sim
