#include "plugins/reporter_html/html_reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "plugins/report_data/json_writer.h"
#include "plugins/report_data/profile_json.h"
#include "plugins/report_data/time_rows.h"
#include "plugins/reporter_html/advice.h"
#include "plugins/reporter_html/event_data.h"
#include "plugins/reporter_html/event_limit.h"
#include "plugins/reporter_html/page.h"
#include "plugins/reporter_html/table_data.h"

namespace loci::report {
namespace {

constexpr std::uint64_t kDefaultMaxEvents = 500'000;
constexpr std::uint64_t kLargestMaxEvents = 100'000'000;

std::uint64_t parse_max_events(const std::string& text) {
  if (text.empty()) return kDefaultMaxEvents;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed_to, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && parsed_to == end && number != 0 && number <= kLargestMaxEvents) {
    return number;
  }
  throw sdk::Error(
      LOCI_CODE_INVALID_ARGUMENT,
      fmt::format("[reporter] html takes for 'max_events' an integer from 1 to {}, not "
                  "'{}'",
                  kLargestMaxEvents, text));
}

// Returns the word that page/script/format.js has for a unit.
std::string_view unit_word(Fact::Unit unit) {
  switch (unit) {
    case Fact::Unit::kCount: return "count";
    case Fact::Unit::kNanoseconds: return "ns";
    case Fact::Unit::kBytes: return "bytes";
    case Fact::Unit::kRatio: return "ratio";
    case Fact::Unit::kText: break;
  }
  return "text";
}

void write_advice(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const Advice& advice : all_advice(profile)) {
    json.begin_object().member("rule", advice.rule).member("title", advice.title);
    json.member("text", advice.text).member("cost_ns", advice.cost_ns);
    json.key("facts").begin_array();
    for (const Fact& fact : advice.facts) {
      json.begin_array().value(fact.name).value(unit_word(fact.unit));
      if (fact.unit == Fact::Unit::kText) {
        json.value(fact.text);
      } else {
        json.value(fact.number);
      }
      json.end_array();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_data(JsonWriter& json, const loci_profile& profile, std::uint64_t until_ns,
                bool shows_quality) {
  json.begin_object();
  write_session(json.key("session"), profile);
  write_threads(json.key("threads"), profile);
  write_devices(json.key("devices"), profile);
  write_label_rows(json.key("labels"), profile);
  write_node_rows(json.key("nodes"), profile);
  write_step_times(json.key("stepTimes"), profile);
  write_time_rows(json.key("rows"), profile);
  write_copy_rows(json.key("copies"), profile);
  write_tensors(json.key("tensors"), profile);
  write_advice(json.key("advice"), profile);
  write_step_columns(json.key("steps"), profile);
  write_span_columns(json.key("spans"), profile, until_ns);
  write_device_columns(json.key("work"), profile, until_ns);
  write_memory_columns(json.key("memory"), profile, until_ns);
  write_gap_columns(json.key("gaps"), profile, until_ns);
  if (shows_quality) write_quality(json.key("quality"), *profile.quality);
  json.member("shown_until_ns", std::min(until_ns, profile.wall_ns)).end_object();
}

}  // namespace

HtmlReporter::HtmlReporter(const sdk::Host&, const sdk::ReporterOptions& options)
    : max_events_(parse_max_events(options.text("max_events"))),
      shows_quality_(options.shows_quality()) {
  options.expect({"max_events", "quality"});
}

void HtmlReporter::report(const loci_profile& profile, sdk::ReportOutput& output) const {
  const Page page = make_page();
  output.write(page.before);
  JsonWriter json([&](std::string_view text) { output.write(text); });
  write_data(json, profile, shown_until(profile, max_events_), shows_quality_);
  json.finish();
  output.write(page.after);
}

}  // namespace loci::report
