#include "plugins/kernels/philox_words.h"

#include <algorithm>

#include "plugins/kernels/isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace loci::kernels {
namespace {

void words_one_by_one(const PhiloxStream& stream, std::int64_t first, std::int64_t count,
                      std::uint32_t* words) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto block = sdk::philox4x32_10(
        sdk::random_counter(static_cast<std::uint64_t>(first + i), stream.run, stream.offset),
        stream.seed);
    std::copy(block.begin(), block.end(), words + 4 * i);
  }
}

#if defined(__x86_64__)

#define LOCI_AVX2 __attribute__((target("avx2")))

constexpr int kLanes = 4;     // blocks in a register: the low half of each 64-bit lane counts
constexpr int kInFlight = 3;  // registers at a time, to hide the latency of a multiplication
constexpr std::int64_t kStep = std::int64_t{kLanes} * kInFlight;
constexpr int kRounds = 10;

// The words of a block, in four registers; compilers do not find the 32 x 32 -> 64 multiplication.
struct Lanes {
  __m256i word[4];
};

LOCI_AVX2 inline Lanes counters(const PhiloxStream& stream, std::int64_t block) {
  const auto counter =
      sdk::random_counter(static_cast<std::uint64_t>(block), stream.run, stream.offset);
  Lanes lanes;
  lanes.word[0] = _mm256_add_epi64(_mm256_set1_epi64x(counter[0]), _mm256_setr_epi64x(0, 1, 2, 3));
  for (int i = 1; i < 4; ++i)
    lanes.word[i] = _mm256_set1_epi64x(counter[static_cast<std::size_t>(i)]);
  return lanes;
}

LOCI_AVX2 inline void round(Lanes& lanes, __m256i low_key, __m256i high_key) {
  const __m256i a = _mm256_mul_epu32(lanes.word[0], _mm256_set1_epi64x(0xD2511F53));
  const __m256i b = _mm256_mul_epu32(lanes.word[2], _mm256_set1_epi64x(0xCD9E8D57));
  lanes.word[0] =
      _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), lanes.word[1]), low_key);
  lanes.word[2] =
      _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), lanes.word[3]), high_key);
  lanes.word[1] = b;
  lanes.word[3] = a;
}

// Block after block, word after word.
LOCI_AVX2 inline void store(const Lanes& lanes, std::uint32_t* words) {
  const auto pair = [&](int low, int high) LOCI_AVX2 {
    return _mm256_blend_epi32(lanes.word[low], _mm256_slli_epi64(lanes.word[high], 32), 0xAA);
  };
  const __m256i front = pair(0, 1);
  const __m256i back = pair(2, 3);
  const __m256i even = _mm256_unpacklo_epi64(front, back);
  const __m256i odd = _mm256_unpackhi_epi64(front, back);
  auto* target = reinterpret_cast<__m256i*>(words);
  _mm256_storeu_si256(target, _mm256_permute2x128_si256(even, odd, 0x20));
  _mm256_storeu_si256(target + 1, _mm256_permute2x128_si256(even, odd, 0x31));
}

// kStep blocks whose counters differ in the lowest word only.
LOCI_AVX2 void words_of_step(const PhiloxStream& stream, std::int64_t first, std::uint32_t* words) {
  Lanes lanes[kInFlight];
  for (int i = 0; i < kInFlight; ++i) lanes[i] = counters(stream, first + kLanes * i);
  auto low_key = static_cast<std::uint32_t>(stream.seed);
  auto high_key = static_cast<std::uint32_t>(stream.seed >> 32);
  for (int r = 0; r < kRounds; ++r) {
    for (Lanes& each : lanes) {
      round(each, _mm256_set1_epi64x(low_key), _mm256_set1_epi64x(high_key));
    }
    low_key += 0x9E3779B9;
    high_key += 0xBB67AE85;
  }
  for (int i = 0; i < kInFlight; ++i) store(lanes[i], words + 4 * kLanes * i);
}

// Returns true if a carry from the lowest word of the counter falls into the step.
bool carries(std::int64_t first) {
  return static_cast<std::uint32_t>(first + kStep - 1) < static_cast<std::uint32_t>(first);
}

#endif

}  // namespace

void philox_words(const PhiloxStream& stream, std::int64_t first, std::int64_t count,
                  std::uint32_t* words) {
#if defined(__x86_64__)
  if (best_isa() != Isa::kBaseline) {
    for (; count >= kStep; first += kStep, count -= kStep, words += 4 * kStep) {
      if (carries(first)) {
        words_one_by_one(stream, first, kStep, words);
      } else {
        words_of_step(stream, first, words);
      }
    }
  }
#endif
  words_one_by_one(stream, first, count, words);
}

}  // namespace loci::kernels
