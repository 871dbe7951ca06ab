#include "framework/core/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace loci::core {
namespace {

// The primes of the algorithm, and what it does with them.
constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5;

constexpr std::string_view kKind = "xxh64:";
constexpr std::size_t kDigits = 16;

static_assert(std::endian::native == std::endian::little);

template <class T>
std::uint64_t load(const unsigned char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

std::uint64_t merged(const std::array<std::uint64_t, 4>& lanes) {
  std::uint64_t sum = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                      std::rotl(lanes[3], 18);
  for (const std::uint64_t lane : lanes) sum = (sum ^ mixed(0, lane)) * kPrime1 + kPrime4;
  return sum;
}

// What is less than a stripe.
std::uint64_t with_rest(std::uint64_t sum, const unsigned char* bytes, std::size_t count) {
  for (; count >= 8; count -= 8, bytes += 8) {
    sum = std::rotl(sum ^ mixed(0, load<std::uint64_t>(bytes)), 27) * kPrime1 + kPrime4;
  }
  if (count >= 4) {
    sum = std::rotl(sum ^ (load<std::uint32_t>(bytes) * kPrime1), 23) * kPrime2 + kPrime3;
    count -= 4;
    bytes += 4;
  }
  for (; count > 0; --count, ++bytes) sum = std::rotl(sum ^ (*bytes * kPrime5), 11) * kPrime1;
  return sum;
}

std::uint64_t avalanche(std::uint64_t sum) {
  sum = (sum ^ (sum >> 33)) * kPrime2;
  sum = (sum ^ (sum >> 29)) * kPrime3;
  return sum ^ (sum >> 32);
}

}  // namespace

std::array<std::uint64_t, 4> Digest::first_lanes() {
  return {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
}

void Digest::add_stripe(const unsigned char* bytes) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i] = mixed(lanes_[i], load<std::uint64_t>(bytes + i * 8));
  }
}

void Digest::add(const void* data, std::uint64_t bytes) {
  const auto* at = static_cast<const unsigned char*>(data);
  total_ += bytes;
  while (bytes > 0) {
    if (pending_bytes_ == 0 && bytes >= kStripe) {
      add_stripe(at);
      at += kStripe;
      bytes -= kStripe;
      continue;
    }
    const std::size_t taken = std::min<std::uint64_t>(bytes, kStripe - pending_bytes_);
    std::memcpy(pending_.data() + pending_bytes_, at, taken);
    pending_bytes_ += taken;
    at += taken;
    bytes -= taken;
    if (pending_bytes_ < kStripe) return;
    add_stripe(pending_.data());
    pending_bytes_ = 0;
  }
}

std::uint64_t Digest::value() const {
  const std::uint64_t sum = (total_ >= kStripe ? merged(lanes_) : kPrime5) + total_;
  return avalanche(with_rest(sum, pending_.data(), pending_bytes_));
}

std::uint64_t digest_of(std::string_view bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.value();
}

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
