// Loads, stores and atomics have these modifiers in common.
#pragma once

#include "tools/cuda_double/ptx/form.h"
#include "tools/cuda_double/ptx/syntax.h"

namespace loci::cuda_double {

struct MemoryForm {
  StateSpace space = StateSpace::kGeneric;
  bool strong = false;
  bool acquires = false;
  bool releases = false;
};

// Takes space, ordering, scope and the hints to caches.
[[nodiscard]] MemoryForm take_memory_form(Form& form);

// In Instruction::modifiers: the space, and what orders accesses.
enum MemoryModifier : std::uint32_t {
  kSpaceMask = 7,
  kStrong = 8,
  kAcquires = 16,
  kReleases = 32,
  kSignExtends = 64,
  kRedOnly = 128,  // no result
};
[[nodiscard]] std::uint32_t memory_modifiers(const MemoryForm& form);

}  // namespace loci::cuda_double
