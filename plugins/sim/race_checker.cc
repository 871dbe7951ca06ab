#include "plugins/sim/race_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <loci/plugin/error.hpp>

namespace loci::sim {
namespace {

const char* verb(const Access& access) { return access.writes ? "writes" : "reads"; }

}  // namespace

std::size_t RaceChecker::add_stream() {
  const std::lock_guard lock(mutex_);
  clocks_.emplace_back();
  return clocks_.size() - 1;
}

void RaceChecker::enter(std::size_t stream, const std::string& task,
                        const std::vector<Access>& accesses) {
  const std::lock_guard lock(mutex_);
  VectorClock& clock = clocks_[stream];
  clock.join(host_);
  for (const Access& access : accesses) check(clock, task, access);
  clock.advance(stream);
  const auto name = std::make_shared<const std::string>(task);
  for (const Access& access : accesses) {
    if (access.first < access.last) {
      keep(std::make_shared<const Stamp>(Stamp{stream, clock.of(stream), access, name}));
    }
  }
}

void RaceChecker::enter_host(const std::string& task, const std::vector<Access>& accesses) {
  const std::lock_guard lock(mutex_);
  for (const Access& access : accesses) check(host_, task, access);
}

VectorClock RaceChecker::now(std::size_t stream) const {
  const std::lock_guard lock(mutex_);
  return clocks_[stream];
}

void RaceChecker::stream_waits(std::size_t stream, const VectorClock& for_what) {
  const std::lock_guard lock(mutex_);
  clocks_[stream].join(for_what);
}

void RaceChecker::host_saw(const VectorClock& what) {
  const std::lock_guard lock(mutex_);
  host_.join(what);
}

void RaceChecker::forget(std::uintptr_t first, std::uintptr_t last) {
  const std::lock_guard lock(mutex_);
  split(first);
  split(last);
  cells_.erase(cells_.lower_bound(first), cells_.lower_bound(last));
}

void RaceChecker::check(const VectorClock& clock, const std::string& task,
                        const Access& access) const {
  if (access.first >= access.last) return;
  for (auto cell = first_cell(access.first); cell != cells_.end() && cell->first < access.last;
       ++cell) {
    if (cell->second.write) check_stamp(clock, task, access, *cell->second.write);
    if (!access.writes) continue;
    for (const auto& read : cell->second.reads) check_stamp(clock, task, access, *read);
  }
}

void RaceChecker::check_stamp(const VectorClock& clock, const std::string& task,
                              const Access& access, const Stamp& earlier) const {
  if (clock.of(earlier.stream) >= earlier.time) return;
  throw sdk::Error(
      LOCI_CODE_FAILED,
      fmt::format("[sim] race: {} {} [{:#x}, {:#x}) while {} of stream {} {} [{:#x}, {:#x}) and "
                  "nothing orders them; let the second wait for an event recorded after the first",
                  task, verb(access), access.first, access.last, *earlier.task, earlier.stream,
                  verb(earlier.access), earlier.access.first, earlier.access.last));
}

void RaceChecker::keep(const std::shared_ptr<const Stamp>& stamp) {
  const Access& access = stamp->access;
  split(access.first);
  split(access.last);
  std::uintptr_t covered = access.first;
  auto cell = cells_.lower_bound(access.first);
  while (covered < access.last) {
    if (cell == cells_.end() || cell->first > covered) {
      const std::uintptr_t gap_end =
          cell == cells_.end() ? access.last : std::min(cell->first, access.last);
      cell = cells_.emplace(covered, Cell{gap_end, nullptr, {}}).first;
    }
    add(cell->second, stamp);
    covered = cell->second.last;
    ++cell;
  }
}

void RaceChecker::add(Cell& cell, const std::shared_ptr<const Stamp>& stamp) {
  if (stamp->access.writes) {
    cell.write = stamp;
    cell.reads.clear();
    return;
  }
  for (auto& read : cell.reads) {
    if (read->stream == stamp->stream) {
      read = stamp;
      return;
    }
  }
  cell.reads.push_back(stamp);
}

void RaceChecker::split(std::uintptr_t at) {
  const auto after = cells_.lower_bound(at);
  if (after == cells_.begin()) return;
  const auto cell = std::prev(after);
  if (cell->second.last <= at) return;
  cells_.emplace_hint(after, at, cell->second);
  cell->second.last = at;
}

RaceChecker::Cells::const_iterator RaceChecker::first_cell(std::uintptr_t address) const {
  const auto after = cells_.upper_bound(address);
  if (after == cells_.begin()) return after;
  const auto cell = std::prev(after);
  return cell->second.last > address ? cell : after;
}

}  // namespace loci::sim
