#include "plugins/cpu/canary_block.h"

#include <algorithm>
#include <cstring>

namespace loci::cpu {
namespace {

constexpr std::uintptr_t kCacheLine = 64;
constexpr std::byte kLow{0xFF};
constexpr std::byte kHigh{0x7F};

// The address chooses the canary, so that a part of what was painted can be looked at alone.
std::byte canary_at(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 2 == 0 ? kLow : kHigh;
}

}  // namespace

// A block at a time, whose size is even.
void paint_canaries(std::byte* memory, std::uint64_t bytes) {
  constexpr std::uint64_t kBlock = 4096;
  const std::uint64_t first = std::min(bytes, kBlock);
  for (std::byte* at = memory; at != memory + first; ++at) *at = canary_at(at);
  for (std::uint64_t done = first; done < bytes; done += kBlock) {
    std::memcpy(memory + done, memory, std::min(bytes - done, kBlock));
  }
}

std::optional<Damage> find_damage(const std::byte* memory, std::uint64_t bytes) {
  std::optional<Damage> damage;
  for (const std::byte* at = memory; at != memory + bytes; ++at) {
    if (*at == canary_at(at)) continue;
    if (!damage) damage = Damage{at - memory, 0};
    ++damage->bytes;
  }
  return damage;
}

CanaryBlock::CanaryBlock(std::uint64_t bytes, const void* alike)
    : bytes_(bytes), memory_(new std::byte[bytes + 2 * (kMargin + kCacheLine)]) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory_.get()) + kMargin;
  const std::uintptr_t wanted = reinterpret_cast<std::uintptr_t>(alike) % kCacheLine;
  data_ = memory_.get() + kMargin + (wanted + kCacheLine - first % kCacheLine) % kCacheLine;
  paint_canaries(data_ - kMargin, bytes_ + 2 * kMargin);
}

std::optional<Damage> CanaryBlock::damage() const {
  if (auto before = find_damage(data_ - kMargin, kMargin)) {
    before->offset -= static_cast<std::int64_t>(kMargin);
    return before;
  }
  return find_damage(data_ + bytes_, kMargin);
}

}  // namespace loci::cpu
