#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <loci/error.hpp>
#include <loci/io.hpp>
#include <numeric>

#include "tests/framework/io/elements_of_files.h"
#include "tests/framework/io/mutation.h"
#include "tests/framework/io/numpy_files.h"
#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using io_test::NumpyFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class NumpyFileTest : public ::testing::TestWithParam<NumpyFile> {
 protected:
  test::ScratchDirectory scratch_;
};

TEST_P(NumpyFileTest, IsRead) {
  const NumpyFile& file = GetParam();
  const Tensor tensor = io::load_npy(scratch_.write("file.npy", file.bytes));
  EXPECT_EQ(tensor.dtype(), file.dtype);
  EXPECT_EQ(tensor.shape(), file.shape);
  EXPECT_TRUE(tensor.place().is_host());
  io_test::expect_elements_of_files(tensor);
}

INSTANTIATE_TEST_SUITE_P(Plain, NumpyFileTest, ::testing::ValuesIn(io_test::kPlainNumpyFiles),
                         [](const auto& file) { return std::string(file.param.name); });
INSTANTIATE_TEST_SUITE_P(Other, NumpyFileTest, ::testing::ValuesIn(io_test::kOtherNumpyFiles),
                         [](const auto& file) { return std::string(file.param.name); });

class NpyTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return scratch_.path("file.npy"); }
  [[nodiscard]] Tensor load(std::string_view bytes) const {
    return io::load_npy(scratch_.write("file.npy", bytes));
  }
  void expect_refused(std::string_view bytes, const std::string& reason) const {
    EXPECT_THAT([&] { (void)load(bytes); },
                Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kDataLoss),
                                    Property(&Error::what, HasSubstr("[io] " + path() + ": ")),
                                    Property(&Error::what, HasSubstr(reason)))));
  }

  test::ScratchDirectory scratch_;
  // float32 [2, 3].
  std::string valid_{io_test::kPlainNumpyFiles[10].bytes};
};

TEST_F(NpyTest, WritesTheBytesThatNumpyWrites) {
  for (const NumpyFile& file : io_test::kPlainNumpyFiles) {
    const Tensor tensor = io::load_npy(scratch_.write("source.npy", file.bytes));
    io::save_npy(path(), tensor);
    EXPECT_EQ(scratch_.read("file.npy"), file.bytes) << file.name;
  }
}

TEST_F(NpyTest, LargeArraySurvivesTheRoundTrip) {
  const Tensor tensor = Tensor::empty({3, 1000, 1001}, kFloat32);
  std::iota(tensor.data<float>(), tensor.data<float>() + tensor.numel(), 0.5F);
  io::save_npy(path(), tensor);
  const Tensor back = io::load_npy(path());
  ASSERT_EQ(back.shape(), tensor.shape());
  EXPECT_EQ(std::memcmp(back.raw_data(), tensor.raw_data(), tensor.bytes()), 0);
}

TEST_F(NpyTest, AbsentFileIsNotFound) {
  EXPECT_THAT([&] { (void)io::load_npy(path()); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kNotFound),
                                  Property(&Error::what, HasSubstr(path())))));
}

TEST_F(NpyTest, DirectoryIsRefused) {
  EXPECT_THAT([&] { (void)io::load_npy(scratch_.path()); },
              Throws<Error>(Property(&Error::what, HasSubstr("is a directory"))));
}

TEST_F(NpyTest, OtherFilesAreRefused) {
  expect_refused("", "magic: 0 bytes are too few");
  expect_refused("\x93NUMPY\x01", "magic: 7 bytes are too few");
  expect_refused("1,2,3\n4,5,6\n", "magic: is not an npy file");
  expect_refused("PK\x03\x04__________________", "a zip archive, perhaps an npz");
}

TEST_F(NpyTest, UnknownVersionsAreRefused) {
  valid_[6] = 4;
  expect_refused(valid_, "version: 4.0 is not known");
  valid_[6] = 0;
  expect_refused(valid_, "version: 0.0 is not known");
  valid_[6] = 1;
  valid_[7] = 1;
  expect_refused(valid_, "version: 1.1 is not known");
}

TEST_F(NpyTest, HeaderLengthIsChecked) {
  valid_[9] = '\xFF';
  expect_refused(valid_, "header length: 65398, but only 142 bytes follow");
  const std::string_view version2("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{}", 14);
  expect_refused(version2, "header length: 4294967295 is more than 65535");
  expect_refused(version2.substr(0, 11), "header length: the file is truncated");
}

TEST_F(NpyTest, EveryTruncationIsRefused) {
  scratch_.write("file.npy", valid_);
  for (std::size_t size = valid_.size(); size-- > 0;) {
    std::filesystem::resize_file(path(), size);
    EXPECT_THROW((void)io::load_npy(path()), Error) << size;
  }
}

TEST_F(NpyTest, MissingAndTrailingBytesAreRefused) {
  expect_refused(valid_.substr(0, valid_.size() - 1),
                 "data: 23 bytes, but float32 [2, 3] has 24; the file is truncated");
  expect_refused(valid_ + "x", "data: 25 bytes, but float32 [2, 3] has 24; the file is damaged");
}

TEST_F(NpyTest, HugeShapesAreRefusedBeforeMemoryIsAsked) {
  const auto with_shape = [&](const std::string& shape) {
    std::string bytes = valid_;
    return bytes.replace(bytes.find("(2, 3), }"), shape.size(), shape);
  };
  expect_refused(with_shape("(4611686018427387904, 2)}"),
                 "shape: [4611686018427387904, 2] does not fit into memory");
  expect_refused(with_shape("(1000000000000,)}"), "data: 24 bytes, but float32 [1000000000000]");
}

TEST_F(NpyTest, BoolsOtherThanZeroAndOneAreRefused) {
  std::string bytes(io_test::kPlainNumpyFiles[0].bytes);
  bytes[bytes.size() - 2] = 2;
  expect_refused(bytes, "data: element 4 is neither 0 nor 1");
}

TEST_F(NpyTest, SavingBFloat16NamesTheRemedyAndWritesNothing) {
  const Tensor tensor = Tensor::empty({2}, kBFloat16);
  EXPECT_THAT([&] { io::save_npy(path(), tensor); },
              Throws<Error>(Property(&Error::what, HasSubstr("cast to float32 first"))));
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(NpyTest, SavingAnUndefinedTensorIsAnError) {
  EXPECT_THAT([&] { io::save_npy(path(), Tensor()); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kInvalidArgument),
                                  Property(&Error::what, HasSubstr(path())))));
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(NpyTest, SavingIntoAnAbsentDirectoryFails) {
  EXPECT_THAT([&] { io::save_npy(scratch_.path("absent/file.npy"), Tensor::empty({2}, kInt8)); },
              Throws<Error>(Property(&Error::code, ErrorCode::kFailed)));
}

TEST_F(NpyTest, DamagedFilesAreReadOrRefused) {
  io_test::Mutator mutate(2);
  int refused = 0;
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    for (const NumpyFile& file : io_test::kPlainNumpyFiles) {
      try {
        (void)load(mutate(file.bytes));
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::kDataLoss) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, kRounds);
}

}  // namespace
}  // namespace loci
