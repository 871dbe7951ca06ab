#include "plugins/reporter_html/event_data.h"

#include <cstddef>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <string_view>
#include <vector>

#include "plugins/report_data/device_lanes.h"
#include "plugins/reporter_html/packed_column.h"

namespace loci::report {
namespace {

// Depth and flags share a number.
constexpr std::uint64_t kFlagValues = 8;

// Distinct names, by number in order of first use.
class Names {
 public:
  std::uint64_t number(std::string_view name) {
    const auto [found, is_new] = numbers_.emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return found->second;
  }
  void write(JsonWriter& json) const {
    json.begin_array();
    for (const std::string_view name : names_) json.value(name);
    json.end_array();
  }

 private:
  std::map<std::string_view, std::uint64_t> numbers_;
  std::vector<std::string_view> names_;
};

// Distinct geometries, likewise; number 0 stands for none.
class Geometries {
 public:
  std::uint64_t number(const loci_launch_geometry& geometry) {
    if (geometry.block[0] == 0 && !(geometry.occupancy > 0)) return 0;
    const std::vector<double> key{
        static_cast<double>(geometry.grid[0]),
        static_cast<double>(geometry.grid[1]),
        static_cast<double>(geometry.grid[2]),
        static_cast<double>(geometry.block[0]),
        static_cast<double>(geometry.block[1]),
        static_cast<double>(geometry.block[2]),
        static_cast<double>(geometry.registers),
        static_cast<double>(geometry.static_shared + geometry.dynamic_shared),
        geometry.occupancy};
    const auto [found, is_new] = numbers_.emplace(key, all_.size() + 1);
    if (is_new) all_.push_back(key);
    return found->second;
  }
  void write(JsonWriter& json) const {
    json.begin_array();
    for (const std::vector<double>& one : all_) {
      json.begin_array();
      for (const double number : one) json.value(number);
      json.end_array();
    }
    json.end_array();
  }

 private:
  std::map<std::vector<double>, std::uint64_t> numbers_;
  std::vector<std::vector<double>> all_;
};

// The number that a span has on the page; 0 stands for none.
class ShownSpans {
 public:
  ShownSpans(const loci_profile& profile, std::uint64_t until_ns) : numbers_(profile.span_count) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (profile.spans[i].begin_ns < until_ns) numbers_[i] = ++next;
    }
  }
  [[nodiscard]] std::uint64_t number(std::uint32_t span) const {
    return span == LOCI_PROFILE_NONE ? 0 : numbers_[span];
  }

 private:
  std::vector<std::uint32_t> numbers_;
};

void write_tracks(JsonWriter& json, const DeviceLanes& lanes) {
  json.begin_array();
  for (const DeviceTrack& track : lanes.tracks) {
    json.begin_array().value(track.device).value(track.stream).value(track.lane).end_array();
  }
  json.end_array();
}

}  // namespace

void write_span_columns(JsonWriter& json, const loci_profile& profile, std::uint64_t until_ns) {
  PackedColumn thread, begin, length, label, nesting, covered, device;
  std::uint64_t count = 0;
  for (const loci_profile_span& span : sdk::spans_of(profile)) {
    if (span.begin_ns >= until_ns) continue;
    const std::uint64_t ns = span.end_ns - span.begin_ns;
    thread.add_difference(span.thread);
    begin.add_difference(span.begin_ns);
    length.add(ns);
    label.add(span.label);
    nesting.add(span.depth * kFlagValues + span.flags % kFlagValues);
    covered.add(ns - span.self_ns);
    device.add(span.device_ns);
    ++count;
  }
  json.begin_object().member("count", count);
  json.member("thread", thread.text()).member("begin", begin.text());
  json.member("length", length.text()).member("label", label.text());
  json.member("nesting", nesting.text()).member("covered", covered.text());
  json.member("device", device.text()).end_object();
}

void write_device_columns(JsonWriter& json, const loci_profile& profile, std::uint64_t until_ns) {
  const DeviceLanes lanes = device_lanes(profile);
  const ShownSpans shown(profile, until_ns);
  Names names;
  Geometries geometries;
  PackedColumn track, begin, length, name, kind, span, bytes, geometry;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < profile.device_span_count; ++i) {
    const loci_profile_device_span& work = profile.device_spans[i];
    if (work.begin_ns >= until_ns) continue;
    track.add_difference(lanes.slots[i].track);
    begin.add_difference(lanes.slots[i].begin_ns);
    length.add(lanes.slots[i].end_ns - lanes.slots[i].begin_ns);
    name.add(names.number(sdk::to_view(work.name)));
    kind.add(work.kind);
    span.add_difference(shown.number(work.span));
    bytes.add(work.bytes);
    geometry.add(geometries.number(work.geometry));
    ++count;
  }
  json.begin_object().member("count", count);
  write_tracks(json.key("tracks"), lanes);
  names.write(json.key("names"));
  geometries.write(json.key("geometries"));
  json.member("track", track.text()).member("begin", begin.text());
  json.member("length", length.text()).member("name", name.text());
  json.member("kind", kind.text()).member("span", span.text());
  json.member("bytes", bytes.text()).member("geometry", geometry.text()).end_object();
}

void write_memory_columns(JsonWriter& json, const loci_profile& profile, std::uint64_t until_ns) {
  PackedColumn at, tensor, in_use;
  std::uint64_t count = 0;
  for (const loci_profile_memory_event& event : sdk::memory_events_of(profile)) {
    if (event.at_ns >= until_ns) continue;
    at.add_difference(event.at_ns);
    tensor.add(event.tensor);
    in_use.add(event.in_use);
    ++count;
  }
  json.begin_object().member("count", count).member("at", at.text());
  json.member("tensor", tensor.text()).member("in_use", in_use.text()).end_object();
}

void write_gap_columns(JsonWriter& json, const loci_profile& profile, std::uint64_t until_ns) {
  const ShownSpans shown(profile, until_ns);
  PackedColumn device, begin, length, cause, span;
  std::uint64_t count = 0;
  for (const loci_profile_gap& gap : sdk::gaps_of(profile)) {
    if (gap.begin_ns >= until_ns) continue;
    device.add(gap.device);
    begin.add_difference(gap.begin_ns);
    length.add(gap.end_ns - gap.begin_ns);
    cause.add(gap.cause);
    span.add(shown.number(gap.span));
    ++count;
  }
  json.begin_object().member("count", count).member("device", device.text());
  json.member("begin", begin.text()).member("length", length.text());
  json.member("cause", cause.text()).member("span", span.text()).end_object();
}

void write_step_columns(JsonWriter& json, const loci_profile& profile) {
  PackedColumn begin, length, number;
  for (const loci_profile_step& step : sdk::steps_of(profile)) {
    begin.add_difference(step.begin_ns);
    length.add(step.end_ns - step.begin_ns);
    number.add(step.number);
  }
  json.begin_object().member("count", profile.step_count).member("begin", begin.text());
  json.member("length", length.text()).member("number", number.text()).end_object();
}

}  // namespace loci::report
