// Memory with canaries around it: bytes that nothing may write, and that show in results if they
// are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace loci::cpu {

// Where canaries were changed.
struct Damage {
  std::int64_t offset;  // of the first byte; below 0 it lies before the memory, else behind its end
  std::uint64_t bytes;  // how many
};

// A NaN of each floating dtype, and the largest number of the others.
void paint_canaries(std::byte* memory, std::uint64_t bytes);
// Damage to what was painted, as behind memory that ends where it begins.
std::optional<Damage> find_damage(const std::byte* memory, std::uint64_t bytes);

class CanaryBlock {
 public:
  static constexpr std::uint64_t kMargin = 4096;  // bytes on either side

  // Painted all over. It begins at an address that is `alike` modulo 64, as kernels choose by that.
  CanaryBlock(std::uint64_t bytes, const void* alike);

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::optional<Damage> damage() const;

 private:
  std::uint64_t bytes_;
  std::unique_ptr<std::byte[]> memory_;
  std::byte* data_;
};

}  // namespace loci::cpu
