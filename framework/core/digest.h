// A digest of bytes, to tell one content from another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loci::core {

// XXH64 with seed 0. It notices damage and mix-ups, and whoever means to can make two contents of
// the same digest.
class Digest {
 public:
  void add(const void* data, std::uint64_t bytes);
  // Of all that was added.
  [[nodiscard]] std::uint64_t value() const;

 private:
  static constexpr std::size_t kStripe = 32;

  void add_stripe(const unsigned char* bytes);

  std::array<std::uint64_t, 4> lanes_ = first_lanes();
  std::array<unsigned char, kStripe> pending_{};
  std::size_t pending_bytes_ = 0;
  std::uint64_t total_ = 0;

  static std::array<std::uint64_t, 4> first_lanes();
};

std::uint64_t digest_of(std::string_view bytes);

// "xxh64:" and 16 hexadecimal digits.
std::string digest_text(std::uint64_t digest);
// Nothing if the text is not of that form.
std::optional<std::uint64_t> parse_digest(std::string_view text);

}  // namespace loci::core
