// Results of probes, kept between runs.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "tools/loci/plugin_probe.h"

namespace loci::runner {

// A folder with one file for each build of a plugin, named by its build id, or by the path of a
// library that was linked without one, which then has to keep its size and its time, too. A good
// result holds until the plugin, Loci or their environment (environment_digest.h) changes. What is
// to blame for another may be something else, such as a driver or a busy machine: a crash counts
// for a day at most, a time-out for ten minutes and for limits up to its own. A failure that the
// plugin or the loader reports is not kept.
class ProbeCache {
 public:
  // Without a directory, nothing is kept.
  explicit ProbeCache(std::string directory) : directory_(std::move(directory)) {}

  // $XDG_CACHE_HOME/loci/probe, or ~/.cache/loci/probe; empty if neither can be told.
  static std::string directory_of_user();

  // Nothing if it was not kept, is too old, or cannot be read or understood.
  [[nodiscard]] std::optional<ProbeResult> find(const plugins::Candidate& candidate,
                                                std::chrono::milliseconds limit) const;
  // Makes the directory and replaces the file as a whole, both for this user alone. A cache that
  // cannot be written is no failure: the next run probes again.
  void keep(const plugins::Candidate& candidate, std::chrono::milliseconds limit,
            const ProbeResult& result) const;

 private:
  std::string directory_;
};

}  // namespace loci::runner
