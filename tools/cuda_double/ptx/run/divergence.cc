#include "tools/cuda_double/ptx/run/divergence.h"

#include <algorithm>

#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/draw.h"

namespace loci::cuda_double {
namespace {

Join* new_join(Warp& warp, std::uint32_t pc, Frame* frame, LaneMask expected, Join* outer) {
  Join* join = warp.join_pool.take();
  *join = {.pc = pc, .frame = frame, .expected = expected, .outer = outer};
  return join;
}

// All that are left have come, or there are none.
void finish_join(Warp& warp, Join* join, Frame* callee) {
  if (join->arrived != 0) {
    (void)add_split(
        warp, {.pc = join->pc, .mask = join->arrived, .frame = join->frame, .join = join->outer});
  }
  if (join->is_return) warp.frame_pool.give(callee);
  warp.join_pool.give(join);
}

}  // namespace

Split* add_split(Warp& warp, const Split& split) {
  Split* added = warp.split_pool.take();
  *added = split;
  warp.splits.push_back(added);
  return added;
}

void remove_split(Warp& warp, Split* split) {
  warp.splits.erase(std::find(warp.splits.begin(), warp.splits.end(), split));
  warp.split_pool.give(split);
  if (warp.current == split) warp.current = nullptr;
}

void enter(Warp& warp, Split* split) {
  warp.frame = split->frame;
  warp.bases[0] = split->frame->registers.data();
  // Constants are never results.
  warp.bases[1] = const_cast<std::byte*>(split->frame->function->constants.data());
}

void diverge(Warp& warp, const Instruction& branch, LaneMask taken, std::uint32_t target) {
  Split* split = warp.current;
  Join* join = split->join;
  if (branch.reconvergence != kNoReconvergence) {
    const bool is_there = join != nullptr && !join->is_return && join->frame == split->frame &&
                          join->pc == branch.reconvergence;
    if (!is_there) {
      join = new_join(warp, branch.reconvergence, split->frame, split->mask, split->join);
    }
  }
  Split* other =
      add_split(warp, {.pc = target, .mask = taken, .frame = split->frame, .join = join});
  split->mask &= ~taken;
  split->join = join;
  split->pc += 1;
  if (draw(*warp.block, 2) == 1) warp.current = other;
}

void split_guarded(Warp& warp, LaneMask executing) {
  Split* split = warp.current;
  Join* join = new_join(warp, split->pc + 1, split->frame, split->mask, split->join);
  join->arrived = split->mask & ~executing;
  split->mask = executing;
  split->join = join;
  split->past_guard = true;
}

void split_groups(Warp& warp, LaneMask first) {
  Split* split = warp.current;
  Join* join = new_join(warp, split->pc + 1, split->frame, split->mask, split->join);
  (void)add_split(warp, {.pc = split->pc,
                         .mask = split->mask & ~first,
                         .frame = split->frame,
                         .join = join,
                         .past_guard = true});
  split->mask = first;
  split->join = join;
  split->past_guard = true;
}

void arrive(Warp& warp, Join* join, LaneMask lanes) {
  join->arrived |= lanes;
  if (join->arrived != join->expected) return;
  finish_join(warp, join, join->callee);
}

void arrive_at_join(Warp& warp) {
  Split* split = warp.current;
  Join* join = split->join;
  const LaneMask lanes = split->mask;
  remove_split(warp, split);
  arrive(warp, join, lanes);
}

void exit_lanes(Warp& warp, LaneMask lanes) {
  Split* split = warp.current;
  warp.live &= ~lanes;
  for (Join* join = split->join; join != nullptr; join = join->outer) join->expected &= ~lanes;
  split->mask &= ~lanes;
  if (split->mask != 0) return;
  Join* join = split->join;
  remove_split(warp, split);
  // A join all of whose lanes have exited leaves it to the one around it.
  while (join != nullptr && join->arrived == join->expected) {
    Join* outer = join->outer;
    const bool goes_on = join->arrived != 0;
    finish_join(warp, join, join->callee);
    if (goes_on) return;
    join = outer;
  }
}

}  // namespace loci::cuda_double
