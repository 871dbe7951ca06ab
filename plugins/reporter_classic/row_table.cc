#include "plugins/reporter_classic/row_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "plugins/report_text/printable.h"

namespace loci::classic {
namespace {

class RowTableBuilder {
 public:
  RowTableBuilder(const Paths& paths, const Settings& settings, std::uint32_t thread)
      : paths_(paths), settings_(settings) {
    table_.thread = thread;
  }

  void add(const EventList& list) {
    for (const Event& event : list.events) {
      if (table_.thread != kAllThreads && paths_[event.path].role == Role::kSpecial) continue;
      count(row_of(event.path), event);
    }
  }

  RowTable finish() {
    link_parents();
    hang_children();
    sort(table_.tops);
    for (Row& row : table_.rows) sort(row.children);
    return std::move(table_);
  }

 private:
  Row& row_of(PathId path) {
    const auto next = static_cast<std::uint32_t>(table_.rows.size());
    const auto [found, inserted] = index_.try_emplace(path, next);
    if (inserted) {
      Row& row = table_.rows.emplace_back();
      row.path = path;
      row.role = paths_[path].role;
    }
    return table_.rows[found->second];
  }

  void count(Row& row, const Event& event) const {
    std::uint64_t time = 0;
    if (settings_.state != State::kGpu) time += event.cpu_ns;
    if (settings_.state != State::kCpu) time += event.gpu_ns;
    row.total_ns += time;
    row.cpu_ns += event.cpu_ns;
    row.gpu_ns += event.gpu_ns;
    if (event.is_part) return;
    row.min_ns = row.calls == 0 ? time : std::min(row.min_ns, time);
    row.max_ns = std::max(row.max_ns, time);
    ++row.calls;
  }

  void link_parents() {
    for (std::uint32_t i = 0; i < table_.rows.size(); ++i) {
      Row& row = table_.rows[i];
      const auto parent = index_.find(paths_[row.path].parent);
      if (parent != index_.end()) {
        row.parent = parent->second;
      } else {
        table_.tops.push_back(i);
        table_.tops_ns += row.total_ns;
      }
    }
  }

  void hang_children() {
    if (settings_.tracer_option == TracerOption::kDefault) {
      hang_under_operators();
      return;
    }
    for (std::uint32_t i = 0; i < table_.rows.size(); ++i) {
      if (table_.rows[i].parent != kNoRow) table_.rows[table_.rows[i].parent].children.push_back(i);
    }
  }

  // Without details a copy in "mul/compute" or "mul/prepare_data" stands under "mul", after what is
  // in "mul" itself: such rows come by the text of the path around them, then by time.
  void hang_under_operators() {
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> order;
    for (std::uint32_t i = 0; i < table_.rows.size(); ++i) {
      const Row& row = table_.rows[i];
      if (row.parent == kNoRow || row.role == Role::kInner || row.role == Role::kUnique) continue;
      order[{paths_.text(table_.rows[row.parent].path), i}] = i;
    }
    for (const auto& [place, i] : order) {
      std::uint32_t shown = table_.rows[i].parent;
      while (table_.rows[shown].role == Role::kInner && table_.rows[shown].parent != kNoRow) {
        shown = table_.rows[shown].parent;
      }
      table_.rows[shown].children.push_back(i);
    }
  }

  // All keys are descending; rows of equal keys stay in order of the ends of their first calls.
  void sort(std::vector<std::uint32_t>& order) const {
    if (settings_.sorted_key == SortedKey::kDefault) return;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
      return key_of(table_.rows[one]) > key_of(table_.rows[other]);
    });
  }
  [[nodiscard]] double key_of(const Row& row) const {
    switch (settings_.sorted_key) {
      case SortedKey::kCalls: return static_cast<double>(row.calls);
      case SortedKey::kTotal: return static_cast<double>(row.total_ns);
      case SortedKey::kMax: return static_cast<double>(row.max_ns);
      case SortedKey::kMin: return static_cast<double>(row.min_ns);
      default: return mean_ns(row);
    }
  }

  const Paths& paths_;
  const Settings& settings_;
  RowTable table_;
  std::unordered_map<PathId, std::uint32_t> index_;
};

// The innermost scope alone.
std::string scope_name(const Paths& paths, PathId path, std::uint32_t thread) {
  const PathId parent = paths[path].parent;
  const bool outermost = parent == kNoPath || paths[parent].role == Role::kSpecial;
  const std::string name = report_text::printable(paths[path].name);
  return thread != kAllThreads && outermost ? fmt::format("thread{}::{}", thread, name) : name;
}

}  // namespace

double mean_ns(const Row& row) {
  return static_cast<double>(row.total_ns) /
         static_cast<double>(std::max<std::uint64_t>(row.calls, 1));
}

RowTable merged_table(const EventLists& events, const Settings& settings) {
  RowTableBuilder builder(events.paths, settings, kAllThreads);
  for (const EventList& list : events.lists) builder.add(list);
  return builder.finish();
}

RowTable thread_table(const EventLists& events, const EventList& list, const Settings& settings) {
  RowTableBuilder builder(events.paths, settings, list.thread);
  builder.add(list);
  return builder.finish();
}

std::string printed_name(const Paths& paths, PathId path, std::uint32_t thread) {
  const std::string name = scope_name(paths, path, thread);
  if (paths[path].role != Role::kInner || paths[path].parent == kNoPath) return name;
  return fmt::format("{}/{}", scope_name(paths, paths[path].parent, thread), name);
}

std::size_t name_width(const Paths& paths, const RowTable& table, const Settings& settings) {
  const bool details = settings.tracer_option != TracerOption::kDefault;
  std::size_t width = 0;
  for (const Row& row : table.rows) {
    // A phase is no row without details, but the name of its scope counts.
    const bool phase = row.role == Role::kInner && !details;
    width = std::max(width, (phase ? scope_name(paths, row.path, table.thread)
                                   : printed_name(paths, row.path, table.thread))
                                .size());
  }
  return width;
}

}  // namespace loci::classic
