#include "plugins/reporter_trace/trace_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <loci/plugin/reporter.hpp>
#include <vector>

#include "plugins/report_data/json_writer.h"

namespace loci::report {
namespace {

using sdk::to_view;

std::string metadata(std::string_view what, const TrackId& track, std::string_view key,
                     std::string_view json) {
  return fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})", what,
                     track.process, track.thread, key, json);
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

void name(const TraceTracks::Emit& emit, std::string_view what, const TrackId& track,
          std::string_view text) {
  emit(metadata(fmt::format("{}_name", what), track, "name", quoted(text)));
}

void order(const TraceTracks::Emit& emit, std::string_view what, const TrackId& track,
           std::int64_t index) {
  emit(metadata(fmt::format("{}_sort_index", what), track, "sort_index", fmt::format("{}", index)));
}

// ", rank 1 of 4": traces of several processes are put into one file.
std::string rank_text(const loci_profile& profile) {
  if (profile.world_size <= 1) return {};
  return fmt::format(", rank {} of {}", profile.rank, profile.world_size);
}

std::string lane_name(const DeviceTrack& track) {
  return track.lane == 0 ? fmt::format("stream {}", track.stream)
                         : fmt::format("stream {} ({})", track.stream, track.lane + 1);
}

}  // namespace

// 0 stands for the idle process in viewers.
std::uint64_t TraceTracks::host() const { return std::max<std::uint64_t>(profile_.process_id, 1); }

TrackId TraceTracks::memory(loci_str place) const {
  for (std::uint32_t i = 0; i < profile_.device_count; ++i) {
    const bool is_it = to_view(profile_.devices[i].place) == to_view(place);
    if (is_it && profile_.devices[i].is_accelerator != 0) return {device(i), 0};
  }
  return {host(), 0};
}

void TraceTracks::describe(const Emit& emit, std::string_view remark) const {
  describe_host(emit, remark);
  describe_devices(emit);
}

void TraceTracks::describe_host(const Emit& emit, std::string_view remark) const {
  const TrackId process{host(), 0};
  name(emit, "process", process,
       fmt::format("{} (host{})", to_view(profile_.program), rank_text(profile_)));
  order(emit, "process", process, 0);
  if (!remark.empty()) emit(metadata("process_labels", process, "labels", quoted(remark)));
  if (profile_.step_count != 0) {
    name(emit, "thread", steps(), "steps");
    order(emit, "thread", steps(), -1);
  }
  for (const loci_profile_thread& one : sdk::threads_of(profile_)) {
    const TrackId track = thread(one.number);
    name(emit, "thread", track,
         one.name.size == 0 ? fmt::format("thread {}", one.os_id)
                            : fmt::format("{} ({})", to_view(one.name), one.os_id));
    order(emit, "thread", track, one.number);
  }
}

void TraceTracks::describe_devices(const Emit& emit) const {
  for (std::uint32_t i = 0; i < profile_.device_count; ++i) {
    const loci_profile_device& one = profile_.devices[i];
    const TrackId process{device(i), 0};
    name(emit, "process", process,
         fmt::format("{} {}{}", to_view(one.place), to_view(one.name), rank_text(profile_)));
    order(emit, "process", process, i + 1);
  }
  for (std::uint32_t i = 0; i < lanes_.tracks.size(); ++i) {
    name(emit, "thread", device_work(i), lane_name(lanes_.tracks[i]));
    order(emit, "thread", device_work(i), i);
  }
  std::vector<bool> has_gaps(profile_.device_count);
  for (const loci_profile_gap& gap : sdk::gaps_of(profile_)) has_gaps[gap.device] = true;
  for (std::uint32_t i = 0; i < profile_.device_count; ++i) {
    if (!has_gaps[i]) continue;
    name(emit, "thread", idle(i), "idle");
    order(emit, "thread", idle(i), static_cast<std::int64_t>(lanes_.tracks.size()));
  }
}

}  // namespace loci::report
