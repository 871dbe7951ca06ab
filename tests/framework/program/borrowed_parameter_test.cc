#include "framework/program/borrowed_parameter.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <new>
#include <string>

#include "framework/core/abi/error.h"

namespace loci::program {
namespace {

// Pages that can only be read, as those of a mapped file.
class ReadOnlyPages {
 public:
  explicit ReadOnlyPages(const std::string& content) : bytes_(content.size()) {
    data_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) throw std::bad_alloc();
    std::memcpy(data_, content.data(), bytes_);
    ::mprotect(data_, bytes_, PROT_READ);
  }
  ~ReadOnlyPages() { ::munmap(data_, bytes_); }
  ReadOnlyPages(const ReadOnlyPages&) = delete;
  ReadOnlyPages& operator=(const ReadOnlyPages&) = delete;
  [[nodiscard]] const char* data() const { return static_cast<const char*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

loci_parameter parameter_at(const void* data, loci_dtype dtype, std::int64_t count) {
  loci_parameter parameter{};
  parameter.struct_size = sizeof parameter;
  parameter.name = core::to_abi("weight");
  parameter.type.dtype = dtype;
  parameter.type.rank = 1;
  parameter.type.dims[0] = count;
  parameter.data = data;
  parameter.bytes = static_cast<std::uint64_t>(count) * dtype_size(static_cast<DType>(dtype));
  return parameter;
}

TEST(BorrowedParameterTest, ReadsMemoryThatCannotBeWritten) {
  const ReadOnlyPages pages("abcdefgh");
  const BorrowedParameter borrowed = borrow_parameter(parameter_at(pages.data(), LOCI_DTYPE_U8, 8));
  EXPECT_EQ(borrowed.desc.name, "weight");
  EXPECT_EQ(borrowed.desc.type.dtype, kUInt8);
  EXPECT_TRUE(borrowed.desc.persistable);
  EXPECT_EQ(borrowed.tensor.raw_data(), pages.data());
  EXPECT_EQ(borrowed.tensor.to_vector<std::uint8_t>()[2], 'c');
}

TEST(BorrowedParameterTest, HasEveryDType) {
  alignas(8) const char zeros[8] = {};
  for (loci_dtype dtype = LOCI_DTYPE_BOOL; dtype <= LOCI_DTYPE_F64; ++dtype) {
    const BorrowedParameter borrowed = borrow_parameter(parameter_at(zeros, dtype, 1));
    EXPECT_EQ(borrowed.tensor.dtype(), static_cast<DType>(dtype));
    EXPECT_EQ(borrowed.tensor.raw_data(), zeros) << dtype;
  }
}

// Elements that no instruction may read where they lie are copied, and the memory is let go.
TEST(BorrowedParameterTest, CopiesWhatIsNotAligned) {
  alignas(8) const char zeros[16] = {};
  int released = 0;
  loci_parameter parameter = parameter_at(zeros + 1, LOCI_DTYPE_F64, 1);
  parameter.release = [](void* count) { ++*static_cast<int*>(count); };
  parameter.context = &released;
  const BorrowedParameter borrowed = borrow_parameter(parameter);
  EXPECT_NE(borrowed.tensor.raw_data(), zeros + 1);
  EXPECT_EQ(borrowed.tensor.item<double>(), 0.0);
  EXPECT_EQ(released, 1);
}

TEST(BorrowedParameterTest, NeedsNoMemoryForNoElements) {
  const BorrowedParameter borrowed = borrow_parameter(parameter_at(nullptr, LOCI_DTYPE_F32, 0));
  EXPECT_EQ(borrowed.tensor.numel(), 0);
}

}  // namespace
}  // namespace loci::program
