// Labels by number: interned once for each distinct signature, so that a record holds four bytes of
// what it is about.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "framework/profiler/recording.h"

namespace loci::profiler {

// Thread-safe. Labels are never forgotten: numbers stay valid.
class LabelTable {
 public:
  // The one of the process.
  static LabelTable& instance();
  explicit LabelTable(std::size_t most = kMostLabels);

  // Gives equal labels one number. Once `most` are there, new ones get that of "(other)".
  LabelId intern(const Label& label);
  // For live ranges. Valid as long as the table.
  [[nodiscard]] const loci_profile_label& abi(LabelId id) const;
  [[nodiscard]] Label at(LabelId id) const;
  [[nodiscard]] std::size_t size() const;

  static constexpr std::size_t kMostLabels = 1'000'000;

 private:
  struct Entry {
    Label label;
    loci_profile_label abi;
  };
  struct Hash {
    std::size_t operator()(const Label* label) const;
  };
  struct Equal {
    bool operator()(const Label* a, const Label* b) const { return *a == *b; }
  };

  LabelId add(const Label& label);

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  // whose addresses stay
  std::unordered_map<const Label*, LabelId, Hash, Equal> index_;
};

// The C form of a label, which points into it.
loci_profile_label to_abi(const Label& label);

}  // namespace loci::profiler
