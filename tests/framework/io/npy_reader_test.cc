#include "framework/io/npy_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <loci/error.hpp>

#include "tests/framework/io/elements_of_files.h"
#include "tests/framework/io/numpy_files.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class TextSource final : public NpySource {
 public:
  explicit TextSource(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  void read(void* into, std::uint64_t bytes, const char* /*field*/) override {
    ASSERT_LE(position + bytes, bytes_.size());
    std::memcpy(into, bytes_.data() + position, bytes);
    position += bytes;
  }

  std::uint64_t position = 0;

 private:
  std::string_view bytes_;
  std::string name_ = "text";
};

TEST(NpyReaderTest, ReadsAllOfASource) {
  for (const io_test::NumpyFile& file : io_test::kOtherNumpyFiles) {
    TextSource source(file.bytes);
    const Tensor tensor = read_npy(source);
    EXPECT_EQ(tensor.dtype(), file.dtype) << file.name;
    EXPECT_EQ(tensor.shape(), file.shape) << file.name;
    io_test::expect_elements_of_files(tensor);
    EXPECT_EQ(source.position, file.bytes.size());
  }
}

TEST(NpyReaderTest, NamesTheSourceAndAsksForNoMoreThanThereIs) {
  const std::string_view whole = io_test::kPlainNumpyFiles[10].bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    TextSource source(whole.substr(0, size));
    EXPECT_THAT([&] { (void)read_npy(source); },
                Throws<Error>(Property(&Error::what, HasSubstr("[io] text: "))));
  }
}

}  // namespace
}  // namespace io
}  // namespace v0
}  // namespace loci
