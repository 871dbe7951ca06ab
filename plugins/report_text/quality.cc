#include "plugins/report_text/quality.h"

#include <fmt/format.h>

#include <cstdint>
#include <loci/plugin/reporter.hpp>

#include "plugins/report_text/figures.h"
#include "plugins/report_text/printable.h"
#include "plugins/report_text/text_table.h"

namespace loci::report_text {
namespace {

std::uint64_t dropped(const loci_profile_quality& quality) {
  std::uint64_t count = 0;
  for (const loci_profile_drop& drop : sdk::drops_of(quality)) count += drop.count;
  return count;
}

// "none", "12 (span 9, memory 3)".
std::string drops_text(const loci_profile_quality& quality) {
  const std::uint64_t count = dropped(quality);
  if (count == 0) return "none";
  std::string kinds;
  for (const loci_profile_drop& drop : sdk::drops_of(quality)) {
    if (drop.count == 0) continue;
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", printable(drop.kind), drop.count);
  }
  return fmt::format("{} ({})", count, kinds);
}

std::string level_text(const loci_profile& profile) {
  switch (profile.level) {
    case LOCI_PROFILE_LEVEL_DETAIL: return "detail";
    case LOCI_PROFILE_LEVEL_OP: return "op: neither phases nor allocations";
    default: return "off";
  }
}

std::string unattributed_text(const loci_profile& profile) {
  const loci_profile_quality& quality = *profile.quality;
  if (quality.unattributed_device_spans == 0) return "none";
  return fmt::format("{} of {}, {}", quality.unattributed_device_spans, profile.device_span_count,
                     scaled_time(quality.unattributed_device_ns));
}

std::string cost_text(const loci_profile& profile) {
  const loci_profile_quality& quality = *profile.quality;
  return fmt::format(
      "{} on the threads ({} of wall), {} to collect", scaled_time(quality.own_cost_ns),
      percent(quality.own_cost_ns, profile.wall_ns), scaled_time(quality.drain_cost_ns));
}

// The time by which self, idle and unaccounted differ from the wall time, over all threads.
std::string accounting_text(const loci_profile& profile) {
  std::uint64_t wall = 0;
  std::uint64_t off = 0;
  for (const loci_profile_thread& thread : sdk::threads_of(profile)) {
    const std::uint64_t parts = thread.self_ns + thread.idle_ns + thread.unaccounted_ns;
    off += parts > thread.wall_ns ? parts - thread.wall_ns : thread.wall_ns - parts;
    wall += thread.wall_ns;
  }
  return fmt::format("off by {} of {} in {} thread{}", scaled_time(off), scaled_time(wall),
                     profile.thread_count, profile.thread_count == 1 ? "" : "s");
}

}  // namespace

std::vector<QualityFact> quality_facts(const loci_profile& profile) {
  const loci_profile_quality& quality = *profile.quality;
  std::vector<QualityFact> facts{
      {"Level", level_text(profile)},
      {"Records dropped", drops_text(quality)},
      {"Spans cut off",
       quality.truncated_spans == 0
           ? "none"
           : fmt::format("{}, open when the session ended", quality.truncated_spans)},
      {"Unattributed work", unattributed_text(profile)},
      {"Clock",
       fmt::format("{}, error {}", printable(quality.clock), scaled_time(quality.clock_error_ns))},
      {"Cost of profiling", cost_text(profile)},
      {"Accounting", accounting_text(profile)}};
  for (const loci_str& note : sdk::notes_of(quality)) facts.push_back({"Note", printable(note)});
  return facts;
}

std::string quality_lines(const loci_profile& profile) {
  TextTable table({{"", Align::kLeft}, {"", Align::kLeft}});
  for (const QualityFact& fact : quality_facts(profile)) table.add({fact.name, fact.value});
  return table.text();
}

std::string quality_sentence(const loci_profile& profile) {
  const loci_profile_quality& quality = *profile.quality;
  return fmt::format(
      "dropped records {}, cut-off spans {}, unattributed device works {} of {}, clock {} within "
      "{}, "
      "profiler {} of wall",
      dropped(quality), quality.truncated_spans, quality.unattributed_device_spans,
      profile.device_span_count, printable(quality.clock), scaled_time(quality.clock_error_ns),
      percent(quality.own_cost_ns, profile.wall_ns));
}

}  // namespace loci::report_text
