#include "plugins/reporter_classic/memory_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/report_text/printable.h"
#include "plugins/reporter_classic/copy_name.h"
#include "plugins/reporter_classic/layout.h"

namespace loci::classic {
namespace {

constexpr std::size_t kNameWidth = 55;
constexpr std::size_t kColumnWidth = 18;

struct Usage {
  PathId scope = kNoPath;
  std::uint64_t allocations = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t frees = 0;
  std::uint64_t freed_bytes = 0;
};

// What happened at one place, scopes in order of their first event.
class PlaceUsage {
 public:
  void add(PathId scope, const loci_profile_memory_event& event) {
    const auto [found, inserted] = index_.try_emplace(scope, usages_.size());
    if (inserted) usages_.push_back({scope});
    Usage& usage = usages_[found->second];
    (event.is_free != 0 ? usage.frees : usage.allocations) += 1;
    (event.is_free != 0 ? usage.freed_bytes : usage.allocated_bytes) += event.bytes;
  }
  [[nodiscard]] const std::vector<Usage>& usages() const { return usages_; }

 private:
  std::map<PathId, std::size_t> index_;
  std::vector<Usage> usages_;
};

std::string line(std::string_view name, const std::vector<std::string>& cells) {
  std::string line = padded(name, kNameWidth);
  for (const std::string& cell : cells) line += padded(cell, kColumnWidth);
  return trimmed(line) + '\n';
}

std::string megabytes(std::uint64_t bytes) {
  return figure(static_cast<double>(bytes) / (1024.0 * 1024.0));
}

std::string usage_line(const std::string& place, const Paths& paths, const Usage& usage) {
  const std::string scope =
      usage.scope == kNoPath ? "Unknown" : report_text::printable(paths.text(usage.scope));
  return line(fmt::format("{}:{}", place, scope),
              {fmt::format("{}", usage.allocations), megabytes(usage.allocated_bytes),
               fmt::format("{}", usage.frees), megabytes(usage.freed_bytes)});
}

}  // namespace

std::string memory_text(const loci_profile& profile, const EventLists& events) {
  if (profile.memory_event_count == 0) return {};
  // Whether it is the host's, and the place: accelerators come first.
  std::map<std::pair<bool, std::string>, PlaceUsage> places;
  for (const loci_profile_memory_event& event : sdk::memory_events_of(profile)) {
    const std::string_view place = sdk::to_view(profile.tensors[event.tensor].place);
    const PathId scope =
        event.span == LOCI_PROFILE_NONE ? kNoPath : events.scope_of_span[event.span];
    places[{!is_accelerator(profile, place), place_name(profile, place)}].add(scope, event);
  }
  std::string text =
      "\n------------------------->    Memory Profiling Report     <-------------------------\n\n";
  text += line("Event", {"Alloc Calls", "Size(MB)", "Free Calls", "Size(MB)"});
  for (const auto& [place, usage] : places) {
    for (const Usage& one : usage.usages()) text += usage_line(place.second, events.paths, one);
  }
  return text + '\n';
}

}  // namespace loci::classic
