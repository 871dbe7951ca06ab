#include "tools/conformance/philox.h"

namespace loci::conformance {
namespace {

// The paper's S-P network with its constants, one round.
PhiloxBlock next_round(const PhiloxBlock& x, const std::array<std::uint32_t, 2>& key) {
  const auto product_0 = std::uint64_t{0xD2511F53} * x[0];
  const auto product_1 = std::uint64_t{0xCD9E8D57} * x[2];
  const auto high = [](std::uint64_t product) { return static_cast<std::uint32_t>(product >> 32); };
  const auto low = [](std::uint64_t product) { return static_cast<std::uint32_t>(product); };
  return {high(product_1) ^ x[1] ^ key[0], low(product_1), high(product_0) ^ x[3] ^ key[1],
          low(product_0)};
}

}  // namespace

PhiloxBlock philox4x32_10(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    if (round > 0) key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
    counter = next_round(counter, key);
  }
  return counter;
}

std::uint32_t RandomWords::word(std::uint64_t index) const {
  const std::uint64_t block = index / 4;
  const std::uint64_t upper = ((block >> 32) & 0xFFFF) | (((run_ >> 32) & 0xFFFF) << 16);
  const PhiloxBlock counter{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(offset_),
                            static_cast<std::uint32_t>(run_), static_cast<std::uint32_t>(upper)};
  return philox4x32_10(counter, {static_cast<std::uint32_t>(seed_),
                                 static_cast<std::uint32_t>(seed_ >> 32)})[index % 4];
}

}  // namespace loci::conformance
