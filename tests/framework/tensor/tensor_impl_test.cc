#include "framework/tensor/tensor_impl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

namespace loci::tensor {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(MakeTensorTest, MemoryIsInTheLedgerWhileTheTensorLives) {
  const std::uint64_t before = memory::host_allocator().stats().in_use;
  {
    const Tensor tensor = make_tensor(kFloat64, {1024, 1024}, Place(), "make_tensor_test");
    EXPECT_EQ(memory::host_allocator().stats().in_use, before + (8U << 20));
    const auto largest = memory::host_allocator().largest(1);
    ASSERT_FALSE(largest.empty());
    EXPECT_EQ(largest[0].first, "make_tensor_test");
  }
  EXPECT_EQ(memory::host_allocator().stats().in_use, before);
}

TEST(MakeTensorTest, RefusesWhatHasNoSize) {
  EXPECT_THAT([] { make_tensor(DType::kNone, {2}, Place(), "x"); },
              ThrowsMessage<Error>(HasSubstr("needs a dtype")));
  EXPECT_THAT(
      [] {
        make_tensor(kFloat32, {-1, 2}, Place(), "x");
      },
      ThrowsMessage<Error>(HasSubstr("[-1, 2]")));
  EXPECT_THAT([] { make_tensor(kFloat64, {std::int64_t{1} << 61}, Place(), "x"); },
              ThrowsMessage<Error>(HasSubstr("more bytes than fit in 63 bits")));
}

TEST(MakeTensorTest, TooLargeIsOutOfMemoryWithTheName) {
  try {
    make_tensor(kFloat64, {std::int64_t{1} << 55}, Place(), "giant");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
    EXPECT_THAT(error.what(), HasSubstr("no memory for 'giant': asked for 256.00 PiB"));
  }
}

TEST(MakeTensorTest, AbsentPlaceIsNamed) {
  EXPECT_THAT([] { make_tensor(kFloat32, {1}, Place("absent:2"), "x"); },
              ThrowsMessage<Error>(HasSubstr("no device 'absent:2'")));
}

TEST(TensorImplTest, BorrowedMemoryIsKeptAliveByItsOwner) {
  auto elements = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  auto storage = std::make_shared<Storage>();
  storage->data = elements->data();
  storage->bytes = 16;
  storage->owner = elements;
  {
    const Tensor tail(std::make_shared<TensorImpl>(kFloat32, Shape{2}, storage, /*offset=*/8));
    storage.reset();
    EXPECT_EQ(elements.use_count(), 2);
    EXPECT_EQ(tail.data<float>()[0], 3);
    EXPECT_EQ(tail.bytes(), 8U);
  }
  EXPECT_EQ(elements.use_count(), 1);
}

}  // namespace
}  // namespace loci::tensor
