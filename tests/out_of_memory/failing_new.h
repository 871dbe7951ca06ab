// An operator new for the whole process, libraries included, that fails when it is told to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loci::oom {

// Where an allocation comes from: its callers, by file and offset, so that it is the same in every
// process. Never 0.
using Stack = std::uint64_t;

// Shared between a process and its children.
struct Journal {
  static constexpr std::size_t kMostStacks = 1U << 15U;
  static constexpr std::size_t kMostText = 4096;

  std::uint64_t allocations = 0;
  std::uint64_t stack_count = 0;
  Stack stacks[kMostStacks] = {};  // in the order in which they came first
  bool has_failed = false;         // whether an allocation did, as it was told
  char text[kMostText] = {};       // its callers, a line each
};

// All that follow are for one thread; allocations may come from any meanwhile.

// Notes each allocation and each stack that it has not seen.
void note_allocations(Journal* journal);
// The first allocation with that stack fails, or that of that number, counted from 1: once.
void fail_at_stack(Journal* journal, Stack stack);
void fail_at_number(Journal* journal, std::uint64_t number);
// None fails, none is noted.
void let_allocate();

}  // namespace loci::oom
