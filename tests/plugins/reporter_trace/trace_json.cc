#include "tests/plugins/reporter_trace/trace_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "framework/profiler/profile.h"
#include "plugins/reporter_trace/trace_reporter.h"

namespace loci::testing {
namespace {

struct Slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Track track_of(const json& event) { return {event["pid"], event["tid"]}; }

// Sorts by begin; an outer one before those within it, as events of equal times are in the file.
std::map<Track, std::vector<Slice>> slices_by_track(const json& trace) {
  std::map<Track, std::vector<Slice>> tracks;
  for (const json& event : events_of(trace, "X")) {
    const std::int64_t begin = to_ns(event["ts"]);
    tracks[track_of(event)].push_back({begin, begin + to_ns(event["dur"])});
  }
  for (auto& [track, slices] : tracks) {
    std::stable_sort(slices.begin(), slices.end(),
                     [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
  }
  return tracks;
}

void expect_nested(const Track& track, const std::vector<Slice>& slices) {
  std::vector<std::int64_t> open;
  for (const Slice& slice : slices) {
    while (!open.empty() && open.back() <= slice.begin) open.pop_back();
    if (!open.empty()) {
      EXPECT_LE(slice.end, open.back())
          << "on track " << track.first << "/" << track.second << " at " << slice.begin;
    }
    open.push_back(slice.end);
  }
}

bool is_at_a_slice(const std::map<Track, std::vector<Slice>>& tracks, const json& event) {
  const auto track = tracks.find(track_of(event));
  if (track == tracks.end()) return false;
  const std::int64_t at = to_ns(event["ts"]);
  return std::any_of(track->second.begin(), track->second.end(),
                     [at](const Slice& slice) { return slice.begin <= at && at <= slice.end; });
}

void expect_arrows(const json& trace, const std::map<Track, std::vector<Slice>>& tracks) {
  std::map<std::uint64_t, json> begins;
  for (const json& begin : events_of(trace, "s")) {
    EXPECT_TRUE(begins.emplace(begin["id"], begin).second) << begin;
    EXPECT_TRUE(is_at_a_slice(tracks, begin)) << begin;
  }
  for (const json& end : events_of(trace, "f")) {
    EXPECT_EQ(end["bp"], "e");
    EXPECT_TRUE(is_at_a_slice(tracks, end)) << end;
    const auto begin = begins.find(end["id"]);
    ASSERT_NE(begin, begins.end()) << end;
    EXPECT_LE(to_ns(begin->second["ts"]), to_ns(end["ts"]));
    begins.erase(begin);
  }
  EXPECT_TRUE(begins.empty());
}

}  // namespace

std::string trace_text(const profiler::Recording& recording, const ReportOptions& options) {
  const profiler::Profile profile{recording};
  return report_of<report::TraceReporter>(profile.abi(), options);
}

json trace_of(const profiler::Recording& recording, const ReportOptions& options) {
  return json::parse(trace_text(recording, options));
}

std::vector<json> events_of(const json& trace, const std::string& phase) {
  std::vector<json> events;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) events.push_back(event);
  }
  return events;
}

json slice_of(const json& trace, const std::string& name) {
  for (const json& event : events_of(trace, "X")) {
    if (event["name"] == name) return event;
  }
  throw std::out_of_range("the trace has no slice " + name);
}

std::int64_t to_ns(const json& micros) {
  return static_cast<std::int64_t>(std::llround(micros.get<double>() * 1e3));
}

std::map<Track, std::string> track_names(const json& trace) {
  std::map<Track, std::string> names;
  for (const json& event : events_of(trace, "M")) {
    if (event["name"] == "thread_name") names[track_of(event)] = event["args"]["name"];
  }
  return names;
}

void expect_sound(const json& trace) {
  const std::map<Track, std::vector<Slice>> tracks = slices_by_track(trace);
  const std::map<Track, std::string> names = track_names(trace);
  for (const auto& [track, slices] : tracks) {
    expect_nested(track, slices);
    EXPECT_EQ(names.count(track), 1U) << track.first << "/" << track.second;
  }
  expect_arrows(trace, tracks);
}

}  // namespace loci::testing
