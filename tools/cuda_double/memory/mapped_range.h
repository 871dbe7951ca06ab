// Addresses from the system, whose pages come when they are touched.
#pragma once

#include <cstdint>
#include <utility>

namespace loci::cuda_double {

class MappedRange {
 public:
  MappedRange() = default;
  // Zeroed. Throws std::bad_alloc.
  explicit MappedRange(std::uint64_t bytes);
  ~MappedRange();
  MappedRange(MappedRange&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MappedRange& operator=(MappedRange&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Gives the pages that lie whole in the range back; they are zero at the next touch.
  void release(std::uint64_t offset, std::uint64_t bytes) noexcept;

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace loci::cuda_double
