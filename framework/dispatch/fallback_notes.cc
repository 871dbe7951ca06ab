#include "framework/dispatch/fallback_notes.h"

namespace loci::dispatch {
namespace {

constexpr std::size_t kMostNotes = 4096;  // of either kind

}  // namespace

bool FallbackNotes::is_first(std::uint64_t caller, const std::string& op, const Place& place) {
  const std::lock_guard lock(mutex_);
  if (const auto other = told_as_.find(caller); other != told_as_.end()) caller = other->second;
  const auto [note, is_new] = told_.emplace(caller, op, place.to_string());
  if (told_.size() <= kMostNotes) return is_new;
  // Programs are numbered as they are made.
  const auto oldest = told_.lower_bound({kImperative + 1, std::string(), std::string()});
  if (oldest != told_.end() && oldest != note) told_.erase(oldest);
  return is_new;
}

void FallbackNotes::tell_as(std::uint64_t program, std::uint64_t other) {
  const std::lock_guard lock(mutex_);
  if (program == other) return;
  told_as_.insert_or_assign(program, other);
  if (told_as_.size() > kMostNotes) told_as_.erase(told_as_.begin());
}

}  // namespace loci::dispatch
