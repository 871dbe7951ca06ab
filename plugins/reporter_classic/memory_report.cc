#include "plugins/reporter_classic/memory_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plugins/report_text/printable.h"
#include "plugins/reporter_classic/copy_name.h"
#include "plugins/reporter_classic/layout.h"

namespace loci::classic {
namespace {

constexpr std::size_t kNameWidth = 55;
constexpr std::size_t kColumnWidth = 18;

// Where memory came and went: the scope, or, outside of all, the name of the memory.
struct Annotation {
  PathId scope = kNoPath;
  std::string_view name;

  friend bool operator<(const Annotation& a, const Annotation& b) {
    return std::tie(a.scope, a.name) < std::tie(b.scope, b.name);
  }
};

struct Usage {
  Annotation of;
  std::uint64_t allocations = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t frees = 0;
  std::uint64_t freed_bytes = 0;
};

// The usage of memory at one place, annotations in order of their first event.
class PlaceUsage {
 public:
  void add(const Annotation& of, const loci_profile_memory_event& event) {
    const auto [found, inserted] = index_.try_emplace(of, usages_.size());
    if (inserted) usages_.push_back({of});
    Usage& usage = usages_[found->second];
    (event.is_free != 0 ? usage.frees : usage.allocations) += 1;
    (event.is_free != 0 ? usage.freed_bytes : usage.allocated_bytes) += event.bytes;
  }
  [[nodiscard]] const std::vector<Usage>& usages() const { return usages_; }

 private:
  std::map<Annotation, std::size_t> index_;
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

std::string text_of(const Annotation& of, const Paths& paths) {
  if (of.scope != kNoPath) return report_text::printable(paths.text(of.scope));
  return of.name.empty() ? "Unknown" : report_text::printable(of.name);
}

std::string usage_line(const std::string& place, const Paths& paths, const Usage& usage) {
  return line(fmt::format("{}:{}", place, text_of(usage.of, paths)),
              {fmt::format("{}", usage.allocations), megabytes(usage.allocated_bytes),
               fmt::format("{}", usage.frees), megabytes(usage.freed_bytes)});
}

}  // namespace

std::string memory_text(const loci_profile& profile, const EventLists& events) {
  if (profile.memory_event_count == 0) return {};
  // Keys are whether it is the host's, and the place: accelerators come first.
  std::map<std::pair<bool, std::string>, PlaceUsage> places;
  for (const loci_profile_memory_event& event : sdk::memory_events_of(profile)) {
    const loci_profile_tensor& tensor = profile.tensors[event.tensor];
    const std::string_view place = sdk::to_view(tensor.place);
    Annotation of;
    if (event.span != LOCI_PROFILE_NONE) of.scope = events.scope_of_span[event.span];
    if (of.scope == kNoPath) of.name = sdk::to_view(tensor.name);
    places[{!is_accelerator(profile, place), place_name(profile, place)}].add(of, event);
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
