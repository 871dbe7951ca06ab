#include "tools/conformance/verify/heap_growth.h"

#include "tools/conformance/verify/process_state.h"

namespace loci::verify {
namespace {

constexpr int kWarmUpRounds = 4;

}  // namespace

std::size_t heap_growth(const std::function<void()>& work) {
  for (int i = 0; i < kWarmUpRounds; ++i) work();
  const std::size_t first = heap_bytes();
  if (first == 0) return 0;
  std::size_t last = first;
  // More than the few freed pieces of one size that the allocator still counts as in use.
  for (int i = 0; i < kHeapRounds; ++i) {
    work();
    const std::size_t now = heap_bytes();
    if (now <= last) return 0;
    last = now;
  }
  return last - first;
}

}  // namespace loci::verify
