// A trace as its viewers read it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "framework/profiler/recording.h"
#include "tests/support/reporter_driver.h"

namespace loci::testing {

using nlohmann::json;

// The text that the reporter writes.
std::string trace_text(const profiler::Recording& recording, const ReportOptions& options = {});
// Parses the text of trace_text().
json trace_of(const profiler::Recording& recording, const ReportOptions& options = {});

// Events of one phase: "X", "s", "f", "C", "M".
std::vector<json> events_of(const json& trace, const std::string& phase);
// The slice of that name; throws std::out_of_range if there is none.
json slice_of(const json& trace, const std::string& name);

// Nanoseconds of a time in microseconds.
std::int64_t to_ns(const json& micros);

// Names of the tracks, by process and thread.
using Track = std::pair<std::uint64_t, std::uint64_t>;
std::map<Track, std::string> track_names(const json& trace);

// Adds a failure for slices of a track that overlap without one being within the other, for arrows
// without their other end, that lead back in time or begin or end at no slice, and for tracks
// without a name.
void expect_sound(const json& trace);

}  // namespace loci::testing
