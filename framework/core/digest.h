// A digest of bytes, to tell one content from another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace loci::core {

// XXH64 with seed 0. It notices damage and mix-ups, and whoever means to can make two contents of
// the same digest.
class Digest {
 public:
  Digest();
  // Goes on from what was added to the other.
  Digest(const Digest& other);
  Digest& operator=(const Digest&) = delete;
  ~Digest();

  void add(const void* data, std::uint64_t bytes);
  // Returns the digest of all that was added.
  [[nodiscard]] std::uint64_t value() const;

 private:
  struct State;

  std::unique_ptr<State> state_;
};

std::uint64_t digest_of(std::string_view bytes);

// "xxh64:" and 16 hexadecimal digits.
std::string digest_text(std::uint64_t digest);
// Nothing if the text is not of that form.
std::optional<std::uint64_t> parse_digest(std::string_view text);

}  // namespace loci::core
