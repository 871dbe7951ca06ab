#include "framework/profiler/copy_sums.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace loci::profiler {
namespace {

loci_profile_copy no_copies_of(const Label& label, std::uint32_t id) {
  loci_profile_copy copy{};
  copy.label = id;
  copy.crosses = label.source != label.target ? 1 : 0;
  return copy;
}

void add(loci_profile_copy& copy, const loci_profile_span& span, std::uint64_t bytes) {
  ++copy.calls;
  copy.waited += (span.flags & LOCI_SPAN_HOST_WAITED) != 0 ? 1 : 0;
  copy.bytes += bytes;
  copy.host_ns += span.end_ns - span.begin_ns;
  copy.device_ns += span.device_ns;
}

}  // namespace

std::vector<loci_profile_copy> sum_copies(const Recording& recording, const Nesting& nesting) {
  std::vector<loci_profile_copy> by_label;
  by_label.reserve(recording.labels.size());
  for (std::uint32_t i = 0; i < recording.labels.size(); ++i) {
    by_label.push_back(no_copies_of(recording.labels[i], i));
  }
  for (const loci_profile_span& span : nesting.spans) {
    const Label& label = recording.labels[span.label];
    if (label.kind == LOCI_SPAN_COPY) add(by_label[span.label], span, label.bytes);
  }
  const auto is_unused = [](const loci_profile_copy& copy) { return copy.calls == 0; };
  by_label.erase(std::remove_if(by_label.begin(), by_label.end(), is_unused), by_label.end());
  std::sort(by_label.begin(), by_label.end(),
            [](const loci_profile_copy& a, const loci_profile_copy& b) {
              return std::tie(b.bytes, b.calls, a.label) < std::tie(a.bytes, a.calls, b.label);
            });
  return by_label;
}

}  // namespace loci::profiler
