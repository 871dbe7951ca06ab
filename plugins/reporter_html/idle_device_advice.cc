#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <utility>

#include "plugins/reporter_html/advice.h"

namespace loci::report {
namespace {

using sdk::to_view;

// The least idle share of the time from the first to the last work of a device.
constexpr double kMinIdleShare = 0.1;
constexpr std::size_t kShownSpans = 5;

struct Idle {
  std::uint64_t gaps = 0;
  std::uint64_t ns = 0;
  std::map<std::string, std::uint64_t> by_span;  // time by what the host did
};

std::string title_of(const loci_profile_label& label) {
  std::string title(to_view(label.name));
  const loci_str more = label.kind == LOCI_SPAN_COPY ? label.variable : label.instance;
  if (more.size != 0) title.append(" ").append(to_view(more));
  return title;
}

// One for each cause of LOCI_GAP_*.
std::array<Idle, 3> idle_of(const loci_profile& profile, std::uint32_t device) {
  std::array<Idle, 3> idle;
  for (const loci_profile_gap& gap : sdk::gaps_of(profile)) {
    if (gap.device != device || gap.cause >= idle.size()) continue;
    Idle& sum = idle[gap.cause];
    const std::uint64_t ns = gap.end_ns - gap.begin_ns;
    ++sum.gaps;
    sum.ns += ns;
    const bool is_known = gap.span != LOCI_PROFILE_NONE;
    sum.by_span[is_known ? title_of(profile.labels[profile.spans[gap.span].label])
                         : "outside of any span"] += ns;
  }
  return idle;
}

void add_spans(Advice& advice, const Idle& idle) {
  std::vector<std::pair<std::string, std::uint64_t>> spans(idle.by_span.begin(),
                                                           idle.by_span.end());
  std::stable_sort(spans.begin(), spans.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (spans.size() > kShownSpans) spans.resize(kShownSpans);
  for (auto& [name, ns] : spans) {
    advice.facts.push_back(time_fact(fmt::format("During {}", name), ns));
  }
}

Advice advice_on(const loci_profile_device& device, std::uint32_t cause, const Idle& idle,
                 double share) {
  Advice advice;
  const std::string_view place = to_view(device.place);
  if (cause == LOCI_GAP_HOST_LATE) {
    advice.rule = "host_bound";
    advice.title = fmt::format("{} waits for the host {:.0f} % of its time", place, share * 100);
    advice.text =
        "The host launches work later than the device could take it. Replay the step from a "
        "captured "
        "graph (--capture auto), let more be fused, or move what the host does meanwhile "
        "elsewhere.";
  } else {
    advice.rule = "copy_bound";
    advice.title = fmt::format("{} waits for copies {:.0f} % of its time", place, share * 100);
    advice.text =
        "The host waits for a copy before it launches more. Keep on the device what is fed and "
        "what "
        "is fetched, and read results later.";
  }
  advice.cost_ns = idle.ns;
  advice.facts = {count_fact("Gaps", idle.gaps), time_fact("Idle", idle.ns),
                  time_fact("Busy", device.busy_ns), ratio_fact("Share", share)};
  add_spans(advice, idle);
  return advice;
}

}  // namespace

std::vector<Advice> idle_device_advice(const loci_profile& profile) {
  std::vector<Advice> result;
  for (std::uint32_t i = 0; i < profile.device_count; ++i) {
    const loci_profile_device& device = profile.devices[i];
    const std::array<Idle, 3> idle = idle_of(profile, i);
    const std::uint64_t whole = device.busy_ns + idle[0].ns + idle[1].ns + idle[2].ns;
    for (const std::uint32_t cause : {LOCI_GAP_HOST_LATE, LOCI_GAP_WAITS_FOR_COPY}) {
      const double share =
          whole == 0 ? 0 : static_cast<double>(idle[cause].ns) / static_cast<double>(whole);
      if (share >= kMinIdleShare) result.push_back(advice_on(device, cause, idle[cause], share));
    }
  }
  return result;
}

}  // namespace loci::report
