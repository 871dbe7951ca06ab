#include "tools/loci/probe/plugin_prober.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace loci::runner {

PluginProber::PluginProber(ProbeOptions options)
    : options_(std::move(options)), cache_(options_.cache_directory) {}

ProbeResult PluginProber::probe(const plugins::Candidate& candidate) {
  const std::lock_guard lock(mutex_);
  const auto known = results_.find(candidate.path);
  if (known != results_.end()) return known->second;
  return results_[candidate.path] = find_out(candidate);
}

std::optional<ProbeResult> PluginProber::result(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = results_.find(path);
  return found == results_.end() ? std::nullopt : std::optional<ProbeResult>(found->second);
}

ProbeResult PluginProber::find_out(const plugins::Candidate& candidate) const {
  if (options_.use_kept) {
    if (const auto kept = cache_.find(candidate, options_.limit)) return *kept;
  }
  try {
    const std::optional<FileContent> content = read_content(candidate.path);
    const ProbeResult result = probe_plugin(candidate, options_.limit, options_.program);
    if (content) cache_.keep(candidate, options_.limit, result, *content);
    return result;
  } catch (const std::system_error& error) {
    return {ProbeResult::Outcome::kFailed,
            {fmt::format("it could not be probed: {}", error.what()),
             "probe it again, or load it without --probe"}};
  }
}

}  // namespace loci::runner
