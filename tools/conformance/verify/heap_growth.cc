#include "tools/conformance/verify/heap_growth.h"

#include <algorithm>
#include <vector>

#include "tools/conformance/verify/process_state.h"

namespace loci::verify {
namespace {

constexpr int kWarmUpRounds = 4;
// The smallest allocation takes about so many bytes, with what the allocator adds.
constexpr std::size_t kLeastPiece = 24;
// Behind which most work that leaves nothing shows it.
constexpr std::size_t kFewRounds = 6;
// A leak of each round has a third of the whole in each third.
constexpr std::size_t kPartOfThird = 8;
// Series that have to agree: freed pieces that the threads of a busy machine still hold rise, or
// hide a rise, by chance in one.
constexpr int kAgreeing = 2;
// A thread's cache keeps seven freed pieces of each size (glibc). Where one thread makes the blocks
// of a queue and another one frees them, a block each few rounds, the cache grows as a leak does
// until it is full: after these rounds it is.
constexpr int kRoundsThatFillCaches = 10 * kHeapRounds;

// A leak raises the least and the most of each third above those of the one before, each time by a
// good part of the whole, whatever threads that come and go keep of freed pieces meanwhile. What is
// made once and kept, or made twice as large as it was, raises one of them.
bool grows_all_along(const std::vector<std::size_t>& seen) {
  const auto third = static_cast<std::ptrdiff_t>(seen.size() / 3);
  const auto at = [&](std::ptrdiff_t number) { return seen.begin() + number * third; };
  const auto least = [&](std::ptrdiff_t i) { return *std::min_element(at(i), at(i + 1)); };
  const auto most = [&](std::ptrdiff_t i) { return *std::max_element(at(i), at(i + 1)); };
  if (least(2) <= most(0)) return false;
  const std::size_t part = (seen.back() - std::min(seen.back(), seen.front())) / kPartOfThird;
  return least(0) + part < least(1) && most(1) + part < most(2);
}

// Returns the bytes by which kHeapRounds of work raised the heap, if it rose all along; else 0.
std::size_t growth_of_rounds(const std::function<void()>& work, std::size_t least) {
  const std::size_t first = heap_bytes();
  std::vector<std::size_t> seen;
  seen.reserve(kHeapRounds);
  while (seen.size() < kHeapRounds) {
    work();
    seen.push_back(heap_bytes());
    if (seen.size() == kFewRounds && seen.back() <= first) return 0;
  }
  return grows_all_along(seen) && seen.back() >= first + least ? seen.back() - first : 0;
}

// Gives the growth on which two series agree, or 0 where two do not grow.
std::size_t agreed_growth(const std::function<void()>& work, std::size_t least) {
  int grown = 0;
  int level = 0;
  while (true) {
    const std::size_t growth = growth_of_rounds(work, least);
    if (growth > 0 && ++grown == kAgreeing) return growth;
    if (growth == 0 && ++level == kAgreeing) return 0;
  }
}

}  // namespace

std::size_t heap_growth(const std::function<void()>& work, int times) {
  for (int i = 0; i < kWarmUpRounds; ++i) work();
  if (heap_bytes() == 0) return 0;
  const std::size_t least = kLeastPiece * kHeapRounds * static_cast<std::size_t>(times);
  if (agreed_growth(work, least) == 0) return 0;
  for (int i = 0; i < kRoundsThatFillCaches; ++i) work();
  return agreed_growth(work, least);
}

}  // namespace loci::verify
