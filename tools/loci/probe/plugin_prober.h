// Probing as a policy: which plugins may be loaded by this process.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "tools/loci/child_process.h"
#include "tools/loci/probe/plugin_probe.h"
#include "tools/loci/probe/probe_cache.h"

namespace loci::runner {

struct ProbeOptions {
  std::chrono::milliseconds limit{5000};
  bool use_kept = true;  // results of earlier runs; new ones are kept in any case
  std::string cache_directory = ProbeCache::directory_of_user();
  std::string program = kThisProgram;
};

// Probes each plugin once. All functions may be called from any thread.
class PluginProber {
 public:
  explicit PluginProber(ProbeOptions options);

  // A failure to probe is the plugin's failure.
  ProbeResult probe(const plugins::Candidate& candidate);
  // Returns what was found out about the file; nothing if it was not probed.
  [[nodiscard]] std::optional<ProbeResult> result(const std::string& path) const;

 private:
  [[nodiscard]] ProbeResult find_out(const plugins::Candidate& candidate) const;

  ProbeOptions options_;
  ProbeCache cache_;
  mutable std::mutex mutex_;
  std::map<std::string, ProbeResult> results_;
};

}  // namespace loci::runner
