#include "tools/cuda_double/ptx/run/shared_races.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/grid.h"

namespace loci::cuda_double {
namespace {

void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  into.resize(std::max(into.size(), from.size()), 0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

SharedRaces::SharedRaces(std::uint32_t bytes, std::uint32_t warps)
    : cells_(bytes), released_(warps, 0) {}

bool SharedRaces::ordered(const Warp& warp, std::uint32_t thread, const Stamp& stamp) {
  const std::uint32_t other = stamp.thread - 1U;
  return other == thread || warp.clocks[other / kLanes] > stamp.clock;
}

// Lanes of one instruction; what they write to one address is compared by itself.
bool SharedRaces::at_once(const Warp& warp, const Stamp& stamp) {
  return (stamp.thread - 1U) / kLanes == warp.index &&
         stamp.moment == static_cast<std::uint32_t>(warp.executed);
}

void SharedRaces::fail(const Warp& warp, std::uint32_t lane, std::uint32_t offset, bool write,
                       const Stamp& other, bool other_writes) {
  const SourceLine line = source_line(*other.function, other.place);
  const Dim3 thread = warp.block->grid->config->block.place(other.thread - 1U);
  raise_fault(
      warp, FaultKind::kSharedRace, lane,
      fmt::format("{} byte {} of shared memory, which thread ({},{},{}) {} at {}{}PTX line "
                  "{} with no barrier between",
                  write ? "writes" : "reads", offset, thread.x, thread.y, thread.z,
                  other_writes ? "writes" : "reads", line.source, line.source.empty() ? "" : ", ",
                  other.function->places[other.place].ptx_line),
      kSharedWindow + offset);
}

void SharedRaces::access(Warp& warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes,
                         bool write, bool strong) {
  const std::uint32_t thread = warp.index * kLanes + lane;
  const Stamp now{static_cast<std::uint16_t>(thread + 1),
                  strong,
                  warp.clocks[warp.index],
                  static_cast<std::uint32_t>(warp.executed),
                  warp.instruction->place,
                  warp.frame->function};
  const auto races = [&](const Stamp& stamp) {
    return stamp.thread != 0 && !(strong && stamp.strong) && !at_once(warp, stamp) &&
           !ordered(warp, thread, stamp);
  };
  for (std::uint32_t i = offset; i < offset + bytes; ++i) {
    Cell& cell = cells_[i];
    if (races(cell.writer)) fail(warp, lane, i, write, cell.writer, true);
    if (!write) {
      if (cell.reader.thread != now.thread) cell.earlier_reader = cell.reader;
      cell.reader = now;
      continue;
    }
    if (races(cell.reader)) fail(warp, lane, i, true, cell.reader, false);
    if (races(cell.earlier_reader)) fail(warp, lane, i, true, cell.earlier_reader, false);
    cell.writer = now;
  }
}

void SharedRaces::synchronise_warp(Warp& warp) { ++warp.clocks[warp.index]; }

void SharedRaces::contribute(Warp& warp, std::vector<std::uint32_t>& clocks) {
  ++warp.clocks[warp.index];
  join(clocks, warp.clocks);
}

void SharedRaces::synchronise(const std::vector<Warp*>& warps,
                              const std::vector<std::uint32_t>& arrived) {
  std::vector<std::uint32_t> all = arrived;
  for (Warp* warp : warps) contribute(*warp, all);
  for (Warp* warp : warps) warp->clocks = all;
}

void SharedRaces::release(Warp& warp) {
  contribute(warp, released_);
  warp.strong_write_releases = false;
}

void SharedRaces::acquire(Warp& warp) { join(warp.clocks, released_); }

}  // namespace loci::cuda_double
