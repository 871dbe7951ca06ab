// Leaks of the C heap: what grows each time that something is done.
#pragma once

#include <cstddef>
#include <functional>

namespace loci::verify {

// How often heap_growth() does the work in a series, after some rounds that warm caches.
constexpr int kHeapRounds = 24;

// Does the work in two or three series, and gives the bytes of the C heap by which the last one
// grew if two grew all along, by a piece of memory or more for each of the `times` that the work
// does something, and two do so again when the caches of threads are full; else 0, as where the
// allocator does not count.
std::size_t heap_growth(const std::function<void()>& work, int times = 1);

}  // namespace loci::verify
