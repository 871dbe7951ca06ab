// A tensor of another library's, made up from bytes.
#pragma once

#include <cstdint>
#include <loci/dlpack.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace loci::fuzz {

// The bytes are, in order and little endian, with zeros behind their end: the version, the flags,
// the device, the rank, the dtype and the byte offset as in dlpack.hpp, a byte of Choice, the
// extents, the strides, and what is in the memory, over and over.
class ForeignTensor {
 public:
  enum Choice : std::uint8_t {
    kNullData = 1U << 0U,
    kNullShape = 1U << 1U,
    kNullStrides = 1U << 2U,
    kNullDeleter = 1U << 3U,
    kCopies = 1U << 4U,    // for the import
    kOffByOne = 1U << 5U,  // the first element is not aligned
  };

  // The memory that there has to be for the tensor to be one.
  enum class Memory {
    kNone,        // without elements, or with extents that are none
    kSome,        // and there is as much, and not a byte more
    kMuch,        // more than is made up here
    kImpossible,  // more than there are addresses
  };

  explicit ForeignTensor(std::string_view input);
  ForeignTensor(const ForeignTensor&) = delete;
  ForeignTensor& operator=(const ForeignTensor&) = delete;

  [[nodiscard]] const dlpack::View& view() const { return managed_.tensor; }
  [[nodiscard]] bool has(Choice choice) const { return (choices_ & choice) != 0; }
  [[nodiscard]] Memory memory() const { return memory_; }
  // Where the first element is; null without elements.
  [[nodiscard]] const void* first() const { return first_; }
  // All elements, densely, while there is memory; none if those are too many.
  [[nodiscard]] std::optional<std::string> elements() const;

  // Gives it to from_dlpack(). Its memory is gone once that has no use for it.
  [[nodiscard]] Tensor import();
  [[nodiscard]] int deleted() const { return deleted_; }

 private:
  [[nodiscard]] int known_rank() const;
  [[nodiscard]] std::int64_t element() const;
  void provide_memory(std::string_view content);
  [[nodiscard]] std::int64_t offset_of(std::int64_t index) const;

  dlpack::ManagedTensor managed_{};
  std::uint8_t choices_ = 0;
  Memory memory_ = Memory::kNone;
  std::unique_ptr<std::int64_t[]> shape_;
  std::unique_ptr<std::int64_t[]> strides_;
  std::unique_ptr<char[]> bytes_;
  const char* first_ = nullptr;
  int deleted_ = 0;
};

}  // namespace loci::fuzz
