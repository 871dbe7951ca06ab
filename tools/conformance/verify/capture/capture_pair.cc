#include "tools/conformance/verify/capture/capture_pair.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace loci::verify {
namespace {

bool is_among(const std::vector<std::string>& items, const std::string& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

bool share_device_type(const plugins::Candidate& one, const plugins::Candidate& two) {
  return std::any_of(one.device_types.begin(), one.device_types.end(),
                     [&](const std::string& type) { return is_among(two.device_types, type); });
}

}  // namespace

CapturePair find_capture_pair(const Target& target, const std::vector<std::string>& directories) {
  const bool captures = is_among(target.manifest.kinds, "capture");
  const bool brings_device = is_among(target.manifest.kinds, "backend");
  if (captures && brings_device) return {target, target};
  if (!captures && !brings_device) skip("it is neither a capturer nor a backend");
  const char* wanted = captures ? "backend" : "capture";
  plugins::configure({{}, directories, {}, nullptr});
  for (const plugins::Candidate& other : plugins::report()) {
    if (other.failed || other.id == target.manifest.id || !is_among(other.kinds, wanted)) continue;
    if (!share_device_type(other, target.manifest)) continue;
    const Target found{other, target.index};
    return captures ? CapturePair{found, target} : CapturePair{target, found};
  }
  skip("no other plugin is {} {}; --plugin-path names a directory that has one",
       captures ? "a backend for" : "a capturer of", fmt::join(target.manifest.device_types, ", "));
}

}  // namespace loci::verify
