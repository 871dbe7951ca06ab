#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/tensor.hpp>

#include "framework/device/device_manager.h"
#include "tests/support/fake_device.h"

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(TensorTest, UndefinedTensorRefusesEverything) {
  const Tensor tensor;
  EXPECT_FALSE(tensor.defined());
  const auto refuses = ThrowsMessage<Error>(HasSubstr("undefined"));
  EXPECT_THAT([&] { (void)tensor.dtype(); }, refuses);
  EXPECT_THAT([&] { (void)tensor.shape(); }, refuses);
  EXPECT_THAT([&] { (void)tensor.numel(); }, refuses);
  EXPECT_THAT([&] { (void)tensor.raw_data(); }, refuses);
  EXPECT_THAT([&] { (void)tensor.data<float>(); }, refuses);
  EXPECT_THAT([&] { (void)tensor.item<float>(); }, refuses);
  EXPECT_THAT([&] { (void)tensor.to("cpu"); }, refuses);
  EXPECT_THAT([&] { (void)tensor.reshaped({1}); }, refuses);
  EXPECT_THAT([&] { tensor.copy_(Tensor::scalar(1.0F)); }, refuses);
  EXPECT_THAT([&] { (void)tensor.to_string(); }, refuses);
}

TEST(TensorTest, FromCopiesItsElements) {
  std::vector<std::int64_t> elements{1, 2, 3, 4, 5, 6};
  const Tensor tensor = Tensor::from(elements, {2, 3});
  elements[0] = 9;
  EXPECT_EQ(tensor.dtype(), kInt64);
  EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
  EXPECT_TRUE(tensor.place().is_host());
  EXPECT_EQ(tensor.numel(), 6);
  EXPECT_EQ(tensor.bytes(), 48U);
  EXPECT_THAT(tensor.to_vector<std::int64_t>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(TensorTest, BoolsGoThroughVectorOfBool) {
  const Tensor tensor = Tensor::from(std::vector<bool>{true, false, true}, {3});
  EXPECT_EQ(tensor.dtype(), kBool);
  EXPECT_EQ(tensor.bytes(), 3U);
  EXPECT_EQ(tensor.to_vector<bool>(), (std::vector<bool>{true, false, true}));
  EXPECT_FALSE(tensor.data<bool>()[1]);
  EXPECT_TRUE(Tensor::scalar(true).item<bool>());
  EXPECT_THAT([] { (void)Tensor::from(std::vector<bool>{true}, {2}); },
              ThrowsMessage<Error>(HasSubstr("1 elements were given for shape [2], which has 2")));
}

TEST(TensorTest, HandlesShareTheData) {
  const Tensor tensor = Tensor::from(std::vector<float>{1, 2}, {2});
  const Tensor same = tensor;
  same.data<float>()[0] = 5;
  EXPECT_EQ(tensor.data<float>()[0], 5);
}

TEST(TensorTest, EmptyTensorHasNoElements) {
  const Tensor tensor = Tensor::from(std::vector<float>{}, {0, 3});
  EXPECT_EQ(tensor.numel(), 0);
  EXPECT_TRUE(tensor.to_vector<float>().empty());
}

TEST(TensorTest, WrongElementCountIsRefused) {
  EXPECT_THAT(
      [] {
        (void)Tensor::from(std::vector<float>{1, 2, 3}, {2, 2});
      },
      ThrowsMessage<Error>(HasSubstr("3 elements were given for shape [2, 2], which has 4")));
}

TEST(TensorTest, NullElementsAreRefused) {
  EXPECT_THAT([] { (void)Tensor::from_bytes(nullptr, {2}, kFloat32); },
              ThrowsMessage<Error>(HasSubstr("null pointer")));
  EXPECT_EQ(Tensor::from_bytes(nullptr, {0}, kFloat32).numel(), 0);
}

TEST(TensorTest, DataOfAnotherTypeIsRefused) {
  const Tensor tensor = Tensor::from(std::vector<std::int64_t>{1, 2}, {2});
  EXPECT_THAT([&] { (void)tensor.data<float>(); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("elements of float32"), HasSubstr("this tensor is int64 [2]"))));
}

TEST(TensorTest, ItemTakesOneElement) {
  EXPECT_EQ(Tensor::scalar(2.5).item<double>(), 2.5);
  EXPECT_EQ(Tensor::scalar(2.5).shape().rank(), 0);
  EXPECT_EQ(Tensor::from(std::vector<float>{7}, {1, 1}).item<float>(), 7);
  EXPECT_THAT(
      [] {
        (void)Tensor::from(std::vector<float>{1, 2}, {2}).item<float>();
      },
      ThrowsMessage<Error>(HasSubstr("this one is float32 [2]")));
}

TEST(TensorTest, ReshapedSharesTheStorage) {
  const Tensor tensor = Tensor::from(std::vector<float>{1, 2, 3, 4}, {4});
  const Tensor square = tensor.reshaped({2, 2});
  EXPECT_EQ(square.shape(), (Shape{2, 2}));
  EXPECT_EQ(square.raw_data(), tensor.raw_data());
  EXPECT_THAT([&] { (void)tensor.reshaped({3}); },
              ThrowsMessage<Error>(HasSubstr("4 elements of shape [4] cannot be reshaped to [3]")));
}

TEST(TensorTest, DeviceTensorIsNotRead) {
  static test::FakeBackend& fake = *new test::FakeBackend({.type = "tensortest"});
  device::DeviceManager::instance().add_source(
      std::make_unique<test::FakeSource>(std::vector<test::FakeBackend*>{&fake}));
  const Tensor tensor = Tensor::from(std::vector<float>{1, 2}, {2}).to("tensortest");
  EXPECT_EQ(tensor.place().to_string(), "tensortest:0");
  EXPECT_THAT([&] { (void)tensor.data<float>(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("float32 [2] tensor lies at tensortest:0"),
                                         HasSubstr("to(\"cpu\")"))));
  EXPECT_THAT(tensor.to_vector<float>(), ElementsAre(1, 2));
  EXPECT_EQ(Tensor::scalar(3).to("tensortest:0").item<int>(), 3);
  EXPECT_EQ(tensor.to("tensortest").raw_data(), tensor.raw_data());
}

}  // namespace
}  // namespace loci
