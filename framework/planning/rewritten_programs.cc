#include "framework/planning/rewritten_programs.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

namespace loci::planning {
namespace {

using execution::PlanFeed;

constexpr std::size_t kMostKept = 16;
// Limits all that are kept but the latest used one: each operator takes about a KiB, twice.
constexpr std::size_t kMostOperatorsKept = 4096;

// But for extents, and for places, which no pass knows.
bool are_alike(const PlanFeed& before, const PlanFeed& now) {
  return before.dtype == now.dtype && before.shape.rank() == now.shape.rank() &&
         before.name == now.name;
}

passes::SizeNotes::Shapes shapes_of(const program::Block& block,
                                    const std::vector<PlanFeed>& feeds) {
  passes::SizeNotes::Shapes shapes;
  for (const PlanFeed& feed : feeds) {
    const program::VarId id = block.find(feed.name);
    if (!block.var(id).persistable) shapes.emplace_back(id, feed.shape);
  }
  return shapes;
}

}  // namespace

std::vector<std::shared_ptr<const RewrittenProgram>> RewrittenPrograms::candidates(
    const program::ProgramImpl& program, const std::vector<PlanFeed>& feeds,
    const std::vector<std::string>& fetches) const {
  std::vector<std::shared_ptr<const RewrittenProgram>> found;
  const std::lock_guard lock(mutex_);
  for (const auto& entry : entries_) {
    const bool fits =
        entry->uid == program.uid() && entry->version == program.version() &&
        entry->fetches == fetches &&
        std::equal(entry->feeds.begin(), entry->feeds.end(), feeds.begin(), feeds.end(), are_alike);
    if (fits) found.push_back(entry);
  }
  return found;
}

// Without the lock, since shape inference may be a plugin's.
RewrittenForSizes RewrittenPrograms::find(const program::ProgramImpl& program,
                                          const std::vector<PlanFeed>& feeds,
                                          const std::vector<std::string>& fetches) {
  for (const auto& candidate : candidates(program, feeds, fetches)) {
    if (candidate->kernels->has_changed()) continue;
    auto types = candidate->sizes.types_if_alike(shapes_of(candidate->program->main(), feeds));
    if (!types) continue;
    use(candidate);
    return {candidate, *std::move(types)};
  }
  return {};
}

void RewrittenPrograms::use(const std::shared_ptr<const RewrittenProgram>& found) {
  const std::lock_guard lock(mutex_);
  const auto entry = std::find(entries_.begin(), entries_.end(), found);
  if (entry != entries_.end()) entries_.splice(entries_.begin(), entries_, entry);
}

void RewrittenPrograms::add(std::shared_ptr<const RewrittenProgram> rewritten) {
  Entries dropped;  // destroyed once the lock is given back
  const std::lock_guard lock(mutex_);
  std::size_t kept = 0;
  std::size_t operators = 0;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const bool is_older =
        (*entry)->uid == rewritten->uid && (*entry)->version != rewritten->version;
    operators += (*entry)->sizes.operator_count();
    const bool goes = is_older || ++kept >= kMostKept || operators > kMostOperatorsKept;
    const auto next = std::next(entry);
    if (goes) dropped.splice(dropped.end(), entries_, entry);
    entry = next;
  }
  entries_.push_front(std::move(rewritten));
}

std::size_t RewrittenPrograms::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace loci::planning
