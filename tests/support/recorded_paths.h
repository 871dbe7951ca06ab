// Names what the collector has recorded as expectations do.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "framework/profiler/collector.h"
#include "framework/profiler/label_table.h"

namespace loci::test {

// How often each path occurs, over all threads: "relu/compute", by names; a copy's is its reason,
// as in "argmax/prepare_data/copy:fallback". Parts of calls are counted apart.
class RecordedPaths {
 public:
  explicit RecordedPaths(const profiler::Harvest& harvest) {
    for (const profiler::ThreadRecords& thread : harvest.threads) add(thread.records);
  }

  // Zero for a path that does not occur.
  [[nodiscard]] int count(const std::string& path) const {
    const auto found = counts_.find(path);
    return found == counts_.end() ? 0 : found->second;
  }
  [[nodiscard]] int parts(const std::string& path) const {
    const auto found = parts_.find(path);
    return found == parts_.end() ? 0 : found->second;
  }
  [[nodiscard]] const std::map<std::string, int>& all() const { return counts_; }
  // The latest label of that path.
  [[nodiscard]] const profiler::Label& label(const std::string& path) const {
    return labels_.at(path);
  }

 private:
  struct Open {
    profiler::Record record;
    std::string path;
  };

  static bool is_memory(const profiler::Record& record) {
    return (record.flags & (profiler::kAllocationRecord | profiler::kReleaseRecord)) != 0;
  }

  void add(std::vector<profiler::Record> records) {
    records.erase(std::remove_if(records.begin(), records.end(),
                                 [](const profiler::Record& record) { return is_memory(record); }),
                  records.end());
    std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.depth < b.depth;
    });
    std::vector<Open> open;
    for (const profiler::Record& record : records) {
      while (!open.empty() &&
             (open.back().record.depth >= record.depth || open.back().record.end < record.begin)) {
        open.pop_back();
      }
      const profiler::Label label = profiler::LabelTable::instance().at(record.label);
      const std::string name = label.kind == LOCI_SPAN_COPY ? "copy:" + label.reason : label.name;
      open.push_back({record, open.empty() ? name : open.back().path + "/" + name});
      const bool is_part = (record.flags & LOCI_SPAN_PART) != 0;
      ++(is_part ? parts_ : counts_)[open.back().path];
      labels_[open.back().path] = label;
    }
  }

  std::map<std::string, int> counts_;
  std::map<std::string, int> parts_;
  std::map<std::string, profiler::Label> labels_;
};

// Records what `calls` does.
template <class Calls>
RecordedPaths record_paths(profiler::Level level, const Calls& calls) {
  profiler::Collector::instance().begin({.level = level});
  calls();
  return RecordedPaths(profiler::Collector::instance().end());
}

}  // namespace loci::test
