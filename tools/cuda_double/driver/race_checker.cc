#include "tools/cuda_double/driver/race_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cuda_double/driver/task.h"

namespace loci::cuda_double {
namespace {

std::string described(const Task& task, const MemoryAccess& access) {
  return access.source.empty() ? task.what : fmt::format("{} at {}", task.what, access.source);
}

}  // namespace

void RaceChecker::accessed(const Task& task, const MemoryAccess& access) {
  if (!enabled_ || access.bytes == 0 || !memory_.is_live(access.begin, 1)) return;
  const std::lock_guard lock(mutex_);
  const std::uint64_t end = access.begin + access.bytes;
  split_at(access.begin);
  split_at(end);
  std::uint64_t at = access.begin;
  while (at < end) {
    auto piece = pieces_.lower_bound(at);
    if (piece == pieces_.end() || piece->first > at) {
      const auto next = piece == pieces_.end() ? end : std::min(end, piece->first);
      piece = pieces_.emplace(at, Piece{next, {}, {}}).first;
    }
    check(task, access, at, piece->second);
    at = piece->second.end;
  }
}

void RaceChecker::split_at(std::uint64_t address) {
  auto piece = pieces_.upper_bound(address);
  if (piece == pieces_.begin()) return;
  --piece;
  if (piece->first == address || piece->second.end <= address) return;
  Piece rest = piece->second;
  piece->second.end = address;
  pieces_.emplace(address, std::move(rest));
}

void RaceChecker::check(const Task& task, const MemoryAccess& access, std::uint64_t begin,
                        Piece& piece) {
  const auto ordered = [&](const User& user) { return task.clock.covers(user.epoch); };
  const auto races = [&](const User& user) {
    return !ordered(user) && !(access.atomic && user.atomic);
  };
  for (const User& writer : piece.writers) {
    if (races(writer)) report(writer, true, task, access, begin, piece.end);
  }
  const User user{task.epoch, access.atomic, described(task, access)};
  if (!access.written) {
    std::erase_if(piece.readers, ordered);  // whoever is after this one is after those too
    piece.readers.push_back(user);
    return;
  }
  for (const User& reader : piece.readers) {
    if (races(reader)) report(reader, false, task, access, begin, piece.end);
  }
  piece.readers.clear();
  std::erase_if(piece.writers,
                [&](const User& writer) { return ordered(writer) || races(writer); });
  piece.writers.push_back(user);
}

void RaceChecker::report(const User& earlier, bool earlier_wrote, const Task& task,
                         const MemoryAccess& access, std::uint64_t begin, std::uint64_t end) {
  findings_.report(
      "race",
      fmt::format("{} {} {} bytes that {} {}, and nothing orders the two: {}",
                  described(task, access), access.written ? "writes" : "reads", end - begin,
                  earlier.what, earlier_wrote ? "writes" : "reads", memory_.describe(begin)));
}

void RaceChecker::forget(std::uint64_t begin, std::uint64_t bytes) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  split_at(begin);
  split_at(begin + bytes);
  pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(begin + bytes));
}

}  // namespace loci::cuda_double
