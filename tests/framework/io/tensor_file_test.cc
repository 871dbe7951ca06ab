#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/io.hpp>

#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class TensorFileTest : public ::testing::Test {
 protected:
  template <class Work>
  static void expect_error(ErrorCode code, const std::string& text, Work&& work) {
    EXPECT_THAT(work, Throws<Error>(AllOf(Property(&Error::code, code),
                                          Property(&Error::what, HasSubstr(text)))));
  }
  static Tensor two() { return Tensor::from<float>({1, 2}, {2}); }

  test::ScratchDirectory scratch_;
};

TEST_F(TensorFileTest, OneTensorGoesThroughEitherFormat) {
  for (const char* name : {"t.npy", "t.npz", "t.safetensors"}) {
    io::save_tensor(scratch_.path(name), Tensor::from<std::int64_t>({1, 2, 3, 4, 5, 6}, {2, 3}));
    const Tensor back = io::load_tensor(scratch_.path(name));
    EXPECT_EQ(back.shape(), (Shape{2, 3})) << name;
    EXPECT_EQ(back.to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  }
  EXPECT_EQ(io::load_safetensors(scratch_.path("t.safetensors")).count("tensor"), 1U);
}

TEST_F(TensorFileTest, TheExtensionMustBeKnown) {
  const auto text = "the extension '.pt' is of no known format; use .npy, .npz or .safetensors";
  expect_error(ErrorCode::kInvalidArgument, text,
               [&] { io::save_tensor(scratch_.path("t.pt"), two()); });
  expect_error(ErrorCode::kInvalidArgument, text,
               [&] { (void)io::load_tensor(scratch_.path("t.pt")); });
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(TensorFileTest, OneTensorOfManyIsLoadedByName) {
  const std::string path = scratch_.path("w.safetensors");
  io::save_safetensors(path, {{"fc.bias", Tensor::scalar(7.0F)}, {"fc.weight", two()}});
  EXPECT_EQ(io::load_safetensors(path, "fc.weight").to_vector<float>(), (std::vector<float>{1, 2}));
  expect_error(ErrorCode::kNotFound, "tensor 'fc.weigth': there is none of that name; did you mean",
               [&] { (void)io::load_safetensors(path, "fc.weigth"); });
  expect_error(ErrorCode::kInvalidArgument, "there are 2, not one",
               [&] { (void)io::load_tensor(path); });
}

TEST_F(TensorFileTest, OneOfManyArraysNeedsItsName) {
  io::save_npz(scratch_.path("w.npz"), {{"a", two()}, {"b", two()}});
  expect_error(ErrorCode::kInvalidArgument,
               "there are 2, not one; load_npz() takes the name of one",
               [&] { (void)io::load_tensor(scratch_.path("w.npz")); });
}

TEST_F(TensorFileTest, NamesFromAFileStayOnTheLine) {
  const std::string path = scratch_.path("w.safetensors");
  io::save_safetensors(path, {{"a\nb", two()}});
  try {
    (void)io::load_safetensors(path, "c");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace loci
