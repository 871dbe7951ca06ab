#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/scope.hpp>

#include "framework/device/device_manager.h"
#include "framework/transfer/transfer.h"
#include "tests/support/fake_device.h"

namespace loci::transfer {
namespace {

using test::FakeBackend;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Known to the DeviceManager of the process, whose devices are never closed.
FakeBackend& fake() {
  static FakeBackend& backend = []() -> FakeBackend& {
    FakeBackend& made = *new FakeBackend({.type = "copytest", .count = 2});
    device::DeviceManager::instance().add_source(
        std::make_unique<test::FakeSource>(std::vector<FakeBackend*>{&made}));
    return made;
  }();
  return backend;
}

class TensorCopyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    (void)fake();
    clear_rows();
  }
  Tensor host_ = Tensor::from(std::vector<float>{1, 2, 3}, {3});
};

TEST_F(TensorCopyTest, TheSameTensorIfItIsThereAlready) {
  EXPECT_EQ(to_place(host_, Place("cpu:0"), {}).impl(), host_.impl());
  const Tensor there = host_.to("copytest:1");
  (void)there.raw_data();  // waits for the copy
  EXPECT_EQ(to_place(there, Place("copytest"), {}).impl(), there.impl());
  EXPECT_EQ(rows().size(), 1U);
}

TEST_F(TensorCopyTest, GoesThereAndBack) {
  const Tensor there = to_place(host_, Place("copytest"),
                                {.variable = "x", .consumer = "relu", .reason = Reason::kLoad});
  EXPECT_EQ(there.place().to_string(), "copytest:0");
  EXPECT_THAT(there.to("copytest:1").to("cpu").to_vector<float>(), ElementsAre(1, 2, 3));
  const std::vector<Row> kept = rows();
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_STREQ(kept[0].labels.variable, "x");
  EXPECT_EQ(kept[0].labels.reason, Reason::kLoad);
  EXPECT_EQ(kept[0].labels.dtype, kFloat32);
  EXPECT_EQ(kept[0].bytes, 12U);
  EXPECT_TRUE(kept[0].host_waited);
  EXPECT_EQ(kept[1].to, Place("copytest:1"));
  EXPECT_EQ(kept[2].labels.reason, Reason::kExplicit);
}

TEST_F(TensorCopyTest, CopiesIntoExistingStorage) {
  const Tensor there = Tensor::empty({3}, kFloat32, "copytest");
  const void* address = there.raw_data();
  there.copy_(host_);
  EXPECT_EQ(there.raw_data(), address);
  EXPECT_THAT(there.to_vector<float>(), ElementsAre(1, 2, 3));
  const Tensor other = Tensor::empty({3}, kFloat32, "copytest");
  other.copy_(there);
  EXPECT_THAT(other.to_vector<float>(), ElementsAre(1, 2, 3));
  there.copy_(there);
}

TEST_F(TensorCopyTest, AnotherFormIsRefused) {
  const Tensor ints = Tensor::from(std::vector<std::int32_t>{1, 2, 3}, {3});
  EXPECT_THAT([&] { ints.copy_(host_); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("a float32 [3] tensor"), HasSubstr("one of int32 [3]"))));
  EXPECT_THAT(
      [&] {
        host_.copy_(host_.reshaped({1, 3}));
      },
      ThrowsMessage<Error>(HasSubstr("[1, 3]")));
}

TEST_F(TensorCopyTest, AbsentPlaceIsNamed) {
  EXPECT_THAT([&] { (void)host_.to("nowhere:1"); },
              ThrowsMessage<Error>(HasSubstr("no device 'nowhere:1'")));
  EXPECT_TRUE(rows().empty());
}

TEST_F(TensorCopyTest, EmptyTensorMovesWithoutACopy) {
  EXPECT_EQ(Tensor::empty({0, 2}, kFloat32).to("copytest").place(), Place("copytest:0"));
  EXPECT_TRUE(rows().empty());
}

TEST_F(TensorCopyTest, ScopeKeepsTensorsWhereTheyLie) {
  const Scope scope;
  scope.set("w", host_.to("copytest"));
  const void* address = scope.find("w").raw_data();
  EXPECT_EQ(scope.find("w").place(), Place("copytest"));
  scope.set("w", Tensor::from(std::vector<float>{4, 5, 6}, {3}).to("copytest"));
  EXPECT_EQ(scope.find("w").raw_data(), address);
  EXPECT_THAT(scope.find("w").to_vector<float>(), ElementsAre(4, 5, 6));
}

}  // namespace
}  // namespace loci::transfer
