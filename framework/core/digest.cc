#include "framework/core/digest.h"

#include <fmt/format.h>

#include <cstddef>

// Compiled in: no library has to be there at run time.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace loci::core {
namespace {

constexpr std::uint64_t kSeed = 0;
constexpr std::string_view kKind = "xxh64:";
constexpr std::size_t kDigits = 16;

}  // namespace

struct Digest::State {
  XXH64_state_t xxh64;
};

Digest::Digest() : state_(std::make_unique<State>()) { XXH64_reset(&state_->xxh64, kSeed); }

Digest::Digest(const Digest& other) : state_(std::make_unique<State>(*other.state_)) {}

Digest::~Digest() = default;

void Digest::add(const void* data, std::uint64_t bytes) {
  XXH64_update(&state_->xxh64, data, bytes);
}

std::uint64_t Digest::value() const { return XXH64_digest(&state_->xxh64); }

std::uint64_t digest_of(std::string_view bytes) { return XXH64(bytes.data(), bytes.size(), kSeed); }

std::string digest_text(std::uint64_t digest) { return fmt::format("{}{:016x}", kKind, digest); }

std::optional<std::uint64_t> parse_digest(std::string_view text) {
  if (text.size() != kKind.size() + kDigits || text.substr(0, kKind.size()) != kKind) return {};
  std::uint64_t digest = 0;
  for (const char c : text.substr(kKind.size())) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c < 'a' || c > 'f')) return {};
    digest = digest * 16 + static_cast<std::uint64_t>(is_digit ? c - '0' : c - 'a' + 10);
  }
  return digest;
}

}  // namespace loci::core
