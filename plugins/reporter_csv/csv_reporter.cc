#include "plugins/reporter_csv/csv_reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "plugins/report_data/rates.h"
#include "plugins/report_data/words.h"
#include "plugins/reporter_csv/csv_table.h"

namespace loci::report {
namespace {

using sdk::to_view;

// "main/mul:fc_0/compute": the names around a node and its own. To be read, not to be parsed.
std::string path_of(const loci_profile& profile, const loci_profile_node& node) {
  std::string path;
  if (node.parent != LOCI_PROFILE_NONE) path = path_of(profile, profile.nodes[node.parent]) + "/";
  const loci_profile_label& label = profile.labels[node.label];
  path += to_view(label.name);
  if (label.instance.size != 0) path.append(":").append(to_view(label.instance));
  return path;
}

CsvTable write_ops(const loci_profile& profile, const CsvTable::Sink& sink) {
  CsvTable table(sink, {"path",     "depth",    "kind",         "name",
                        "instance", "place",    "kernel",       "detail",
                        "calls",    "total_ns", "self_ns",      "min_ns",
                        "max_ns",   "mean_ns",  "device_ns",    "device_union_ns",
                        "flops",    "bytes",    "gflops_per_s", "gbytes_per_s"});
  for (const loci_profile_node& node : sdk::nodes_of(profile)) {
    const loci_profile_label& label = profile.labels[node.label];
    table.cell(path_of(profile, node)).cell(std::uint64_t{node.depth});
    table.cell(span_kind_word(label.kind)).cell(label.name).cell(label.instance);
    table.cell(label.place).cell(label.kernel).cell(label.detail);
    table.cell(node.calls).cell(node.total_ns).cell(node.self_ns);
    table.cell(node.min_ns).cell(node.max_ns);
    table.cell(node.total_ns / std::max<std::uint64_t>(node.calls, 1));
    table.cell(node.device_ns).cell(node.device_union_ns).cell(node.flops).cell(node.bytes);
    table.cell(rate(node.flops, busy_ns(profile, node)) / 1e9);
    table.cell(rate(node.bytes, busy_ns(profile, node)) / 1e9);
    table.end_row();
  }
  return table;
}

CsvTable write_copies(const loci_profile& profile, const CsvTable::Sink& sink) {
  CsvTable table(sink, {"variable", "source", "target", "reason", "producer", "consumer", "crosses",
                        "calls", "waited", "bytes", "host_ns", "device_ns", "gbytes_per_s"});
  for (const loci_profile_copy& copy : sdk::copies_of(profile)) {
    const loci_profile_label& label = profile.labels[copy.label];
    table.cell(label.variable).cell(label.source).cell(label.target).cell(label.reason);
    table.cell(label.producer).cell(label.consumer).cell(std::uint64_t{copy.crosses});
    table.cell(copy.calls).cell(copy.waited).cell(copy.bytes).cell(copy.host_ns);
    table.cell(copy.device_ns).cell(rate(copy.bytes, busy_ns(profile, copy)) / 1e9);
    table.end_row();
  }
  return table;
}

CsvTable write_devices(const loci_profile& profile, const CsvTable::Sink& sink) {
  CsvTable table(sink, {"place", "name", "driver", "is_accelerator", "streams", "busy_ns",
                        "total_ns", "measured_gflops_per_s", "measured_gbytes_per_s",
                        "described_gflops_per_s", "described_gbytes_per_s", "total_memory"});
  for (const loci_profile_device& device : sdk::devices_of(profile)) {
    table.cell(device.place).cell(device.name).cell(device.driver);
    table.cell(std::uint64_t{device.is_accelerator}).cell(std::uint64_t{device.stream_count});
    table.cell(device.busy_ns).cell(device.total_ns);
    table.cell(device.measured_flops / 1e9).cell(device.measured_bytes / 1e9);
    table.cell(device.described_flops / 1e9).cell(device.described_bytes / 1e9);
    table.cell(device.total_memory);
    table.end_row();
  }
  return table;
}

CsvTable write_memory(const loci_profile& profile, const CsvTable::Sink& sink) {
  CsvTable table(sink, {"name", "place", "allocations", "allocated_bytes", "frees", "freed_bytes",
                        "peak_bytes"});
  for (const loci_profile_tensor& tensor : sdk::tensors_of(profile)) {
    table.cell(tensor.name).cell(tensor.place);
    table.cell(tensor.allocations).cell(tensor.allocated_bytes);
    table.cell(tensor.frees).cell(tensor.freed_bytes).cell(tensor.peak_bytes);
    table.end_row();
  }
  return table;
}

void write_quality(CsvTable& table, const loci_profile_quality& quality) {
  for (const loci_profile_drop& drop : sdk::drops_of(quality)) {
    table.comment(fmt::format("dropped {}: {}", to_view(drop.kind), drop.count));
  }
  table.comment(fmt::format("truncated spans: {}", quality.truncated_spans));
  table.comment(fmt::format("unattributed device spans: {} with {} ns",
                            quality.unattributed_device_spans, quality.unattributed_device_ns));
  table.comment(
      fmt::format("clock: {}, error {} ns", to_view(quality.clock), quality.clock_error_ns));
  table.comment(fmt::format("cost of profiling: {} ns, of collecting: {} ns", quality.own_cost_ns,
                            quality.drain_cost_ns));
  for (const loci_str note : sdk::notes_of(quality)) table.comment(to_view(note));
}

CsvTable write_table(std::string_view name, const loci_profile& profile,
                     const CsvTable::Sink& sink) {
  if (name == "copies") return write_copies(profile, sink);
  if (name == "devices") return write_devices(profile, sink);
  if (name == "memory") return write_memory(profile, sink);
  return write_ops(profile, sink);
}

}  // namespace

CsvReporter::CsvReporter(const sdk::Host&, const sdk::ReporterOptions& options)
    : table_(options.choice("table", {"ops", "copies", "devices", "memory"})),
      shows_quality_(options.shows_quality()) {
  options.expect({"quality", "table"});
}

void CsvReporter::report(const loci_profile& profile, sdk::ReportOutput& output) const {
  CsvTable table = write_table(table_, profile, [&](std::string_view text) { output.write(text); });
  if (shows_quality_) write_quality(table, *profile.quality);
  table.finish();
}

}  // namespace loci::report
