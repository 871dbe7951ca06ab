#include "plugins/report_data/device_lanes.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>

namespace loci::report {
namespace {

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

class Packer {
 public:
  explicit Packer(std::uint64_t tolerance) : tolerance_(tolerance) {}

  // The first lane of the stream that is free, or nearly.
  DeviceSlot add(const loci_profile_device_span& span) {
    std::vector<std::uint64_t>& ends = ends_[{span.device, span.stream}];
    std::size_t lane = 0;
    while (lane < ends.size() && ends[lane] > span.begin_ns + tolerance_) ++lane;
    if (lane == ends.size()) ends.push_back(0);
    DeviceSlot slot;
    slot.track = track(span, static_cast<std::uint32_t>(lane));
    slot.begin_ns = std::max(span.begin_ns, ends[lane]);
    slot.end_ns = std::max(span.end_ns, slot.begin_ns);
    ends[lane] = slot.end_ns;
    return slot;
  }
  // Sorted; the slots' numbers follow.
  void finish(DeviceLanes& lanes) const {
    std::vector<std::uint32_t> order(tracks_.size());
    for (const auto& [key, track] : numbers_) {
      order[track] = static_cast<std::uint32_t>(lanes.tracks.size());
      lanes.tracks.push_back(tracks_[track]);
    }
    for (DeviceSlot& slot : lanes.slots) slot.track = order[slot.track];
  }

 private:
  std::uint32_t track(const loci_profile_device_span& span, std::uint32_t lane) {
    const auto [found, is_new] = numbers_.emplace(Key{span.device, span.stream, lane},
                                                  static_cast<std::uint32_t>(tracks_.size()));
    if (is_new) tracks_.push_back({span.device, span.stream, lane, 0});
    ++tracks_[found->second].count;
    return found->second;
  }

  std::uint64_t tolerance_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>> ends_;
  std::map<Key, std::uint32_t> numbers_;
  std::vector<DeviceTrack> tracks_;
};

}  // namespace

DeviceLanes device_lanes(const loci_profile& profile) {
  Packer packer(profile.quality->clock_error_ns);
  DeviceLanes lanes;
  lanes.slots.reserve(profile.device_span_count);
  for (std::uint64_t i = 0; i < profile.device_span_count; ++i) {
    lanes.slots.push_back(packer.add(profile.device_spans[i]));
  }
  packer.finish(lanes);
  return lanes;
}

}  // namespace loci::report
