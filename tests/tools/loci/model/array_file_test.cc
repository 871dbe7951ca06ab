#include "tools/loci/model/array_file.h"

#include <gtest/gtest.h>

#include <loci/io.hpp>

namespace loci::runner {
namespace {

void expect_parsed(const std::string& text, const std::string& path, const std::string& array,
                   bool is_archive) {
  const ArrayFile file = parse_array_file(text);
  EXPECT_EQ(file.path, path) << text;
  EXPECT_EQ(file.array, array) << text;
  EXPECT_EQ(file.is_archive, is_archive) << text;
}

TEST(ArrayFileTest, IsAnArrayOrAnArchive) {
  expect_parsed("dir/a=b.npy", "dir/a=b.npy", "", false);
  expect_parsed("dir/a.npz", "dir/a.npz", "", true);
  expect_parsed("a.npz:x", "a.npz", "x", true);
  expect_parsed("a.npz:", "a.npz", "", true);
  expect_parsed("a.npz:b.npz:c", "a.npz", "b.npz:c", true);
  expect_parsed("C:a.npz:x:y", "C:a.npz", "x:y", true);
  expect_parsed("a:b.npy", "a:b.npy", "", false);
  expect_parsed(".npz", ".npz", "", false);
}

TEST(ArrayFileTest, ItsTextIsHowItIsWritten) {
  EXPECT_EQ(parse_array_file("a.npz:x").text(), "a.npz:x");
  EXPECT_EQ(parse_array_file("a.npy").text(), "a.npy");
}

TEST(ArrayFileTest, IsLoaded) {
  const std::string path = ::testing::TempDir() + "array_file_test.npz";
  io::save_npz(path, {{"a", Tensor::scalar(1.0F)}, {"b:c", Tensor::scalar(2.0F)}});
  EXPECT_EQ(load_array(parse_array_file(path + ":b:c")).item<float>(), 2.0F);
}

}  // namespace
}  // namespace loci::runner
