// Results of probes, kept between runs.
#pragma once

#include <chrono>
#include <loci/plugin/cache_folder.hpp>
#include <optional>
#include <string>

#include "tools/loci/probe/file_content.h"
#include "tools/loci/probe/plugin_probe.h"

namespace loci::runner {

// A folder with one file for each plugin, named by its path: a copy elsewhere has other libraries
// beside it. A result is of one content of that file. A good one holds until the content, Loci or
// their environment (environment_digest.h) changes. What is to blame for another may be something
// else, such as a driver or a busy machine: a crash counts for a day at most, a time-out for ten
// minutes and for limits up to its own. A failure that the plugin or the loader reports is not
// kept. The file itself is read only where its identity (file_content.h) is another than it was.
class ProbeCache {
 public:
  // Without a directory, nothing is kept.
  explicit ProbeCache(std::string directory);

  // $XDG_CACHE_HOME/loci/probe, or ~/.cache/loci/probe; empty if neither can be told.
  static std::string directory_of_user() { return sdk::CacheFolder::of_user("probe"); }

  // Nothing if it was not kept, is too old, or cannot be read or understood.
  [[nodiscard]] std::optional<ProbeResult> find(const plugins::Candidate& candidate,
                                                std::chrono::milliseconds limit) const;
  // `content` is what the candidate's file had before it was probed; nothing is kept if it has
  // changed since. Makes the directory and replaces the file as a whole, both for this user alone,
  // and removes what nobody has written for a long time. A cache that cannot be written is no
  // failure: the next run probes again.
  void keep(const plugins::Candidate& candidate, std::chrono::milliseconds limit,
            const ProbeResult& result, const FileContent& content) const;

 private:
  void write(const std::string& plugin, const std::string& entry) const;

  sdk::CacheFolder folder_;
};

}  // namespace loci::runner
