#include "framework/io/safetensors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <loci/error.hpp>
#include <loci/io.hpp>
#include <numeric>

#include "tests/framework/io/elements_of_files.h"
#include "tests/framework/io/mutation.h"
#include "tests/framework/io/safetensors_files.h"
#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using io_test::kAllDTypesFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class SafetensorsTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return scratch_.path("w.safetensors"); }
  [[nodiscard]] io::NamedTensors load(std::string_view bytes) const {
    return io::load_safetensors(scratch_.write("w.safetensors", bytes));
  }
  void expect_refused(std::string_view bytes, const std::string& reason) const {
    EXPECT_THAT([&] { (void)load(bytes); },
                Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kDataLoss),
                                    Property(&Error::what, HasSubstr("[io] " + path() + ": ")),
                                    Property(&Error::what, HasSubstr(reason)))));
  }

  test::ScratchDirectory scratch_;
};

TEST_F(SafetensorsTest, ReadsAllDTypes) {
  const io::NamedTensors tensors = load(kAllDTypesFile);
  EXPECT_EQ(tensors.size(), 16U);
  for (int code = 1; code <= 13; ++code) {
    const auto dtype = static_cast<DType>(code);
    const Tensor& tensor = tensors.at(std::string(dtype_name(dtype)));
    EXPECT_EQ(tensor.dtype(), dtype);
    EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
    io_test::expect_elements_of_files(tensor);
  }
  EXPECT_EQ(tensors.at("scalar").shape(), Shape{});
  EXPECT_EQ(tensors.at("scalar").item<float>(), -1.0F);
  EXPECT_EQ(tensors.at("empty").shape(), (Shape{0, 3}));
  EXPECT_EQ(tensors.at("na\u00efve \"name\"\n").item<std::uint8_t>(), 1);
}

TEST_F(SafetensorsTest, WritesTheBytesThatTheReferenceWrites) {
  io::save_safetensors(path(), io::load_safetensors(scratch_.write("source", kAllDTypesFile)));
  EXPECT_EQ(scratch_.read("w.safetensors"), kAllDTypesFile);
}

TEST_F(SafetensorsTest, MetadataIsPassedOver) {
  const io::NamedTensors tensors = load(io_test::kMetadataFile);
  ASSERT_EQ(tensors.size(), 1U);
  EXPECT_EQ(tensors.at("w").item<float>(), -1.0F);
}

TEST_F(SafetensorsTest, NoTensorsSurviveTheRoundTrip) {
  io::save_safetensors(path(), {});
  EXPECT_TRUE(io::load_safetensors(path()).empty());
}

TEST_F(SafetensorsTest, LargeTensorSurvivesTheRoundTrip) {
  const Tensor tensor = Tensor::empty({1000, 3003}, kInt32);
  std::iota(tensor.data<std::int32_t>(), tensor.data<std::int32_t>() + tensor.numel(), -7);
  io::save_safetensors(path(), {{"large", tensor}, {"other", Tensor::scalar(1.5)}});
  const io::NamedTensors back = io::load_safetensors(path());
  ASSERT_EQ(back.at("large").shape(), tensor.shape());
  EXPECT_EQ(std::memcmp(back.at("large").raw_data(), tensor.raw_data(), tensor.bytes()), 0);
  EXPECT_EQ(back.at("other").item<double>(), 1.5);
}

TEST_F(SafetensorsTest, ReadsOneTensorOfMany) {
  const io::SafetensorsFile file(scratch_.write("w.safetensors", kAllDTypesFile));
  ASSERT_EQ(file.entries().size(), 16U);
  EXPECT_EQ(file.entries().front().name, "uint64");
  io_test::expect_elements_of_files(file.load(file.entries().front()));
}

TEST_F(SafetensorsTest, AbsentFileIsNotFound) {
  EXPECT_THAT([&] { (void)io::load_safetensors(path()); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kNotFound),
                                  Property(&Error::what, HasSubstr(path())))));
}

TEST_F(SafetensorsTest, HeaderLengthIsChecked) {
  expect_refused("", "header length: 0 bytes are too few");
  expect_refused(std::string(7, '\0'), "header length: 7 bytes are too few");
  expect_refused(std::string(8, '\0'), "header: does not begin with '{'");
  expect_refused(std::string_view("\x40\0\0\0\0\0\0\0{}", 10),
                 "header length: 64, but only 2 bytes");
  expect_refused(std::string(16, '\xFF'), "header length: 18446744073709551615 is more than");
  expect_refused(std::string_view("\x01\xe1\xf5\x05\0\0\0\0{}", 10), "100000001 is more than");
}

TEST_F(SafetensorsTest, EveryTruncationIsRefused) {
  scratch_.write("w.safetensors", kAllDTypesFile);
  for (std::size_t size = kAllDTypesFile.size(); size-- > 0;) {
    std::filesystem::resize_file(path(), size);
    EXPECT_THROW((void)io::load_safetensors(path()), Error) << size;
  }
}

TEST_F(SafetensorsTest, TrailingBytesAreRefused) {
  expect_refused(fmt::format("{}x", kAllDTypesFile),
                 "data: 288 bytes, but the header describes 287");
}

TEST_F(SafetensorsTest, BoolsOtherThanZeroAndOneAreRefused) {
  std::string bytes(kAllDTypesFile);
  bytes.back() = 7;
  expect_refused(bytes, "tensor 'bool': element 5 is neither 0 nor 1");
}

TEST_F(SafetensorsTest, WhatCannotBeSavedIsNamedAndNothingIsWritten) {
  EXPECT_THAT(
      [&] {
        io::save_safetensors(path(), {{"undefined", Tensor()}});
      },
      Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kInvalidArgument),
                          Property(&Error::what, HasSubstr("'undefined': is undefined")))));
  EXPECT_THROW(io::save_safetensors(path(), {{"__metadata__", Tensor::scalar(1.0F)}}), Error);
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(SafetensorsTest, DamagedFilesAreReadOrRefused) {
  io_test::Mutator mutate(4);
  int refused = 0;
  constexpr int kRounds = 1000;
  for (int round = 0; round < kRounds; ++round) {
    try {
      (void)load(mutate(round % 2 == 0 ? kAllDTypesFile : io_test::kMetadataFile));
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::kDataLoss) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, kRounds / 2);
  EXPECT_LT(refused, kRounds);
}

}  // namespace
}  // namespace loci
