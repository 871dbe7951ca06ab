// The one result of a session that every report is made from.
#pragma once

#include <loci/abi/profile.h>

#include <memory>

#include "framework/profiler/recording.h"

namespace loci::profiler {

// Immutable. Thread-safe.
class Profile {
 public:
  // Throws Error(kDataLoss) for a recording that is not sound: an index out of range, a span that
  // ends before it begins, spans of a thread that overlap without being nested.
  explicit Profile(Recording recording);
  ~Profile();
  Profile(Profile&&) noexcept;
  Profile& operator=(Profile&&) noexcept;

  [[nodiscard]] const Recording& recording() const;
  // Valid as long as the profile.
  [[nodiscard]] const loci_profile& abi() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace loci::profiler
