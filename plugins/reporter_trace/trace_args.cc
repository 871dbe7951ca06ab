#include "plugins/reporter_trace/trace_args.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <loci/plugin/error.hpp>

#include "plugins/report_data/json_writer.h"
#include "plugins/report_data/rates.h"
#include "plugins/report_data/words.h"

namespace loci::report {
namespace {

using sdk::to_view;

std::string triple(const std::uint32_t (&numbers)[3]) {
  return fmt::format("{}x{}x{}", numbers[0], numbers[1], numbers[2]);
}

void add_geometry(TraceArgs& args, const loci_launch_geometry& geometry) {
  if (geometry.block[0] == 0) return;
  args.add_word("grid", triple(geometry.grid)).add_word("block", triple(geometry.block));
  args.add("registers", std::uint64_t{geometry.registers});
  args.add("static_shared", geometry.static_shared);
  args.add("dynamic_shared", geometry.dynamic_shared);
  if (geometry.occupancy > 0) args.add("occupancy", geometry.occupancy);
}

}  // namespace

TraceArgs& TraceArgs::add(std::string_view name, loci_str text) {
  return text.size == 0 ? *this : add(name, to_view(text));
}

TraceArgs& TraceArgs::add(std::string_view name, std::string_view text) {
  key(name);
  append_json_string(members_, text);
  return *this;
}

TraceArgs& TraceArgs::add(std::string_view name, std::uint64_t number) {
  key(name);
  fmt::format_to(std::back_inserter(members_), "{}", number);
  return *this;
}

TraceArgs& TraceArgs::add(std::string_view name, double number) {
  key(name);
  fmt::format_to(std::back_inserter(members_), "{:.6g}", number);
  return *this;
}

TraceArgs& TraceArgs::add_true(std::string_view name) {
  key(name);
  members_ += "true";
  return *this;
}

TraceArgs& TraceArgs::add_word(std::string_view name, std::string_view word) {
  key(name);
  members_.append("\"").append(word).append("\"");
  return *this;
}

void TraceArgs::key(std::string_view name) {
  if (!members_.empty()) members_ += ',';
  members_.append("\"").append(name).append("\":");
}

std::string trace_title(const loci_profile_label& label) {
  std::string title(to_view(label.name));
  const loci_str more = label.kind == LOCI_SPAN_COPY   ? label.variable
                        : label.kind == LOCI_SPAN_WAIT ? label.place
                                                       : loci_str{};
  if (more.size != 0) title.append(" ").append(to_view(more));
  return title;
}

TraceArgs label_args(const loci_profile_label& label) {
  TraceArgs args;
  args.add("instance", label.instance).add("place", label.place).add("kernel", label.kernel);
  args.add("detail", label.detail).add("reason", label.reason);
  args.add("source", label.source).add("target", label.target);
  args.add("producer", label.producer).add("consumer", label.consumer);
  if (label.flops != 0) args.add("flops", label.flops);
  if (label.bytes != 0) args.add("bytes", label.bytes);
  return args;
}

TraceArgs span_args(std::string_view label_members, const loci_profile_label& label,
                    const loci_profile_span& span) {
  TraceArgs args(label_members);
  const bool waited = (span.flags & LOCI_SPAN_HOST_WAITED) != 0;
  if (span.device_ns != 0) args.add("device_us", static_cast<double>(span.device_ns) / 1e3);
  if (label.kind == LOCI_SPAN_COPY) {
    // The host's time for a copy that it does not wait for tells nothing of its speed.
    const std::uint64_t ns =
        span.device_ns != 0 ? span.device_ns : (waited ? span.end_ns - span.begin_ns : 0);
    if (ns != 0) args.add("gb_per_s", rate(label.bytes, ns) / 1e9);
  }
  if (waited) args.add_true("host_waited");
  if ((span.flags & LOCI_SPAN_TRUNCATED) != 0) args.add_true("truncated");
  if ((span.flags & LOCI_SPAN_FAILED) != 0) args.add_true("failed");
  if ((span.flags & LOCI_SPAN_PART) != 0) args.add_true("part");
  return args;
}

TraceArgs launcher_args(const loci_profile_label& label) {
  TraceArgs args;
  args.add("launched_by", label.name).add("instance", label.instance);
  return args;
}

TraceArgs device_args(std::string_view launcher_members, const loci_profile_device_span& work) {
  TraceArgs args(launcher_members);
  if (work.kind == LOCI_DEVICE_WORK_COPY)
    args.add_word("direction", direction_word(work.direction));
  if (work.kind != LOCI_DEVICE_WORK_KERNEL) {
    args.add("bytes", work.bytes);
    args.add("gb_per_s", rate(work.bytes, work.end_ns - work.begin_ns) / 1e9);
  }
  if (work.algorithm_bytes != 0) {
    if (work.kind == LOCI_DEVICE_WORK_KERNEL) args.add("bytes", work.bytes);
    args.add("algorithm_bytes", work.algorithm_bytes);
    const std::uint64_t ns = work.end_ns - work.begin_ns;
    args.add("algorithm_gb_per_s", rate(work.algorithm_bytes, ns) / 1e9);
  }
  if (work.graph != 0) {
    args.add("graph", std::uint64_t{work.graph}).add("replay", work.replay);
  }
  add_geometry(args, work.geometry);
  return args;
}

}  // namespace loci::report
