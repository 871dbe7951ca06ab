#include "plugins/reporter_json/json_reporter.h"

#include <cstdint>
#include <string_view>

#include "plugins/report_data/json_writer.h"
#include "plugins/report_data/profile_json.h"
#include "plugins/report_data/rates.h"
#include "plugins/report_data/time_rows.h"
#include "plugins/report_data/words.h"
#include "plugins/reporter_json/device_sums.h"

namespace loci::report {
namespace {

// An index; null if there is none.
void index_member(JsonWriter& json, const char* name, std::uint32_t index) {
  json.key(name);
  if (index == LOCI_PROFILE_NONE) {
    json.raw("null");
  } else {
    json.value(index);
  }
}

// Writes the label of an operator, a wait or a range.
void label_members(JsonWriter& json, const loci_profile_label& label) {
  json.member("kind", span_kind_word(label.kind))
      .member("name", label.name)
      .member("instance", label.instance)
      .member("place", label.place)
      .member("kernel", label.kernel)
      .member("detail", label.detail);
}

void write_nodes(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const loci_profile_node& node : sdk::nodes_of(profile)) {
    json.begin_object();
    index_member(json, "parent", node.parent);
    label_members(json, profile.labels[node.label]);
    json.member("depth", node.depth)
        .member("calls", node.calls)
        .member("parts", node.parts)
        .member("total_ns", node.total_ns)
        .member("self_ns", node.self_ns)
        .member("min_ns", node.min_ns)
        .member("max_ns", node.max_ns)
        .member("device_ns", node.device_ns)
        .member("device_union_ns", node.device_union_ns)
        .member("flops", node.flops)
        .member("bytes", node.bytes)
        .member("flops_per_s", rate(node.flops, busy_ns(profile, node)))
        .member("bytes_per_s", rate(node.bytes, busy_ns(profile, node)))
        .member("first_order", node.first_order)
        .end_object();
  }
  json.end_array();
}

void write_copies(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const loci_profile_copy& copy : sdk::copies_of(profile)) {
    const loci_profile_label& label = profile.labels[copy.label];
    json.begin_object()
        .member("variable", label.variable)
        .member("source", label.source)
        .member("target", label.target)
        .member("reason", label.reason)
        .member("producer", label.producer)
        .member("consumer", label.consumer)
        .member("crosses", copy.crosses != 0)
        .member("calls", copy.calls)
        .member("waited", copy.waited)
        .member("bytes", copy.bytes)
        .member("host_ns", copy.host_ns)
        .member("device_ns", copy.device_ns)
        .member("bytes_per_s", rate(copy.bytes, busy_ns(profile, copy)))
        .end_object();
  }
  json.end_array();
}

void write_gaps(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const loci_profile_gap& gap : sdk::gaps_of(profile)) {
    json.begin_object()
        .member("device", gap.device)
        .member("begin_ns", gap.begin_ns)
        .member("end_ns", gap.end_ns)
        .member("cause", gap_cause_word(gap.cause))
        .member("next", profile.device_spans[gap.next].name)
        .key("span");
    if (gap.span == LOCI_PROFILE_NONE) {
      json.raw("null");
    } else {
      json.begin_object();
      label_members(json, profile.labels[profile.spans[gap.span].label]);
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace

JsonReporter::JsonReporter(const sdk::Host&, const sdk::ReporterOptions& options)
    : shows_quality_(options.shows_quality()) {
  options.expect({"quality"});
}

void JsonReporter::report(const loci_profile& profile, sdk::ReportOutput& output) const {
  JsonWriter json([&](std::string_view text) { output.write(text); });
  json.begin_object().member("format", "loci.profile").member("format_version", std::uint64_t{2});
  write_session(json.key("session"), profile);
  write_threads(json.key("threads"), profile);
  write_devices(json.key("devices"), profile);
  write_steps(json.key("steps"), profile);
  write_step_times(json.key("step_times"), profile);
  write_time_rows(json.key("rows"), profile);
  write_nodes(json.key("nodes"), profile);
  write_copies(json.key("copies"), profile);
  write_tensors(json.key("tensors"), profile);
  write_gaps(json.key("gaps"), profile);
  write_graphs(json.key("graphs"), profile);
  write_collectives(json.key("collectives"), profile);
  if (shows_quality_) write_quality(json.key("quality"), *profile.quality);
  json.end_object().finish();
  output.write("\n");
}

}  // namespace loci::report
