#include "plugins/reporter_html/event_limit.h"

#include <algorithm>
#include <cstddef>
#include <loci/plugin/reporter.hpp>
#include <vector>

namespace loci::report {

std::uint64_t shown_until(const loci_profile& profile, std::uint64_t max_events) {
  const std::uint64_t count =
      profile.span_count + profile.device_span_count + profile.memory_event_count;
  if (count <= max_events) return UINT64_MAX;
  std::vector<std::uint64_t> begins;
  begins.reserve(count);
  for (const loci_profile_span& span : sdk::spans_of(profile)) begins.push_back(span.begin_ns);
  for (const loci_profile_device_span& work : sdk::device_spans_of(profile)) {
    begins.push_back(work.begin_ns);
  }
  for (const loci_profile_memory_event& event : sdk::memory_events_of(profile)) {
    begins.push_back(event.at_ns);
  }
  const auto limit = begins.begin() + static_cast<std::ptrdiff_t>(max_events);
  std::nth_element(begins.begin(), limit, begins.end());
  return *limit;
}

}  // namespace loci::report
