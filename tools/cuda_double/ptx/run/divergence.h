// How lanes of a warp part and meet.
#pragma once

#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

[[nodiscard]] Split* add_split(Warp& warp, const Split& split);
void remove_split(Warp& warp, Split* split);
// Makes registers those of the split's frame.
void enter(Warp& warp, Split* split);

// The lanes of the current split that take the branch go to `target`, the others to the next
// instruction. `taken` is some of its lanes, not all.
void diverge(Warp& warp, const Instruction& branch, LaneMask taken, std::uint32_t target);
// The current split keeps the lanes of `executing`, whose guard holds; the others wait behind the
// instruction.
void split_guarded(Warp& warp, LaneMask executing);
// The current split keeps the lanes of `first`, which execute the instruction together; the others
// execute it by themselves, and all meet behind it.
void split_groups(Warp& warp, LaneMask first);
// The current split has come to its join, and is gone.
void arrive_at_join(Warp& warp);
// These lanes have come to the join; they are no longer lanes of a split.
void arrive(Warp& warp, Join* join, LaneMask lanes);
// These lanes of the current split end. The split is gone if it has no others.
void exit_lanes(Warp& warp, LaneMask lanes);

}  // namespace loci::cuda_double
