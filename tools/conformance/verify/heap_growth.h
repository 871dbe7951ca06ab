// Leaks of the C heap: what grows each time that something is done.
#pragma once

#include <cstddef>
#include <functional>

namespace loci::verify {

// How often heap_growth() does it at most, after some that warm caches.
constexpr int kHeapRounds = 24;

// Does it again and again, and gives the bytes of the C heap by which it grew in all if it grew
// each time; else 0, as where the allocator does not count.
std::size_t heap_growth(const std::function<void()>& work);

}  // namespace loci::verify
