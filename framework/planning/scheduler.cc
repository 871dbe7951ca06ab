#include "framework/planning/scheduler.h"

#include <algorithm>
#include <map>
#include <utility>

#include "framework/execution/plan.h"
#include "framework/planning/dependencies.h"
#include "framework/planning/enqueue_order.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::Plan;
using execution::Schedule;
using execution::ScheduledStep;
using execution::ScheduledStream;
using execution::Space;
using execution::StreamBesides;
using execution::TransferStep;
using execution::ValueId;

constexpr std::size_t kHostTrack = 0;
// Streams of a device besides the default one: two for copies, then those of further branches.
constexpr std::size_t kInwardStream = 1;
constexpr std::size_t kOutwardStream = 2;

// The tracks of one device; 0: none yet.
struct DeviceTracks {
  std::vector<std::size_t> compute;
  std::size_t inward = 0;
  std::size_t outward = 0;
};

struct Track {
  Clock clock;             // what its next instruction comes after
  std::uint32_t tail = 0;  // the latest instruction
  std::size_t length = 0;
};

class Scheduler {
 public:
  Scheduler(const Plan& plan, std::size_t compute_streams)
      : plan_(plan),
        compute_streams_(compute_streams),
        dependencies_(find_dependencies(plan)),
        timeline_(Timeline::concurrent(plan.instructions.size())),
        after_(plan.instructions.size()),
        tracks_(1) {
    schedule_.order = enqueue_order(plan, dependencies_);
    schedule_.steps.resize(plan.instructions.size());
  }

  std::optional<TimedSchedule> run() {
    for (const std::uint32_t now : schedule_.order) place(now);
    if (!overlaps_) return std::nullopt;
    find_ends();
    return TimedSchedule{std::move(schedule_), std::move(timeline_)};
  }

 private:
  void place(std::uint32_t now) {
    const EnqueueKind kind = enqueue_kind(plan_, plan_.instructions[now]);
    if (kind == EnqueueKind::kHost) {
      for (const std::uint32_t on : latest_first(now)) make_host_know(now, on);
      enter(now, kHostTrack);
      return;
    }
    for (const Dependency& dependency : dependencies_[now]) {
      if (dependency.host_value || !reaches(now, dependency.on)) make_host_know(now, dependency.on);
    }
    const std::size_t track = choose_track(now);
    ScheduledStep& step = schedule_.steps[now];
    step.stream = static_cast<std::int32_t>(track) - 1;
    step.blocks = kind == EnqueueKind::kBlocking;
    join(&tracks_[track].clock, tracks_[kHostTrack].clock);
    for (const std::uint32_t on : latest_first(now)) make_stream_know(now, track, on);
    note_touched(now, track);
    enter(now, track);
    if (step.blocks) join(&tracks_[kHostTrack].clock, tracks_[track].clock);
  }

  // A later one often knows of the earlier ones.
  [[nodiscard]] std::vector<std::uint32_t> latest_first(std::uint32_t now) const {
    std::vector<std::uint32_t> list;
    for (const Dependency& dependency : dependencies_[now]) list.push_back(dependency.on);
    std::sort(list.begin(), list.end(),
              [this](std::uint32_t a, std::uint32_t b) { return sum(after_[a]) > sum(after_[b]); });
    return list;
  }

  // Grows from an instruction to any that comes after it.
  static std::uint64_t sum(const Clock& clock) {
    std::uint64_t total = 0;
    for (const std::uint32_t time : clock) total += time;
    return total;
  }

  // Returns true if streams can order the two between them.
  [[nodiscard]] bool reaches(std::uint32_t now, std::uint32_t on) const {
    if (timeline_.track(on) == kHostTrack) return true;
    return enqueue_device(plan_, plan_.instructions[now])
        ->can_wait_for(*enqueue_device(plan_, plan_.instructions[on]));
  }

  [[nodiscard]] bool knows(const Clock& clock, std::uint32_t instruction) const {
    const std::size_t track = timeline_.track(instruction);
    return track < clock.size() && clock[track] >= timeline_.time(instruction);
  }

  void make_host_know(std::uint32_t now, std::uint32_t on) {
    Clock& clock = tracks_[kHostTrack].clock;
    if (knows(clock, on)) return;
    join(&clock, after_[on]);
    if (issued_ > 0 && on == last_ && plan_.instructions[on].transfer() != nullptr) {
      schedule_.steps[on].blocks = true;  // it is waited for at once
      return;
    }
    schedule_.steps[now].host_waits.push_back(on);
    schedule_.steps[on].signals = true;
  }

  void make_stream_know(std::uint32_t now, std::size_t track, std::uint32_t on) {
    Clock& clock = tracks_[track].clock;
    if (knows(clock, on)) return;
    schedule_.steps[now].stream_waits.push_back(on);
    schedule_.steps[on].signals = true;
    join(&clock, after_[on]);
  }

  void enter(std::uint32_t now, std::size_t number) {
    Track& track = tracks_[number];
    overlaps_ = overlaps_ || sum(track.clock) < issued_;
    after_[now] = timeline_.place(now, number, track.clock);
    track.clock = after_[now];
    track.tail = now;
    ++track.length;
    last_ = now;
    ++issued_;
  }

  std::size_t choose_track(std::uint32_t now) {
    Clock known = tracks_[kHostTrack].clock;
    for (const Dependency& dependency : dependencies_[now]) join(&known, after_[dependency.on]);
    const Instruction& instruction = plan_.instructions[now];
    DeviceTracks& tracks = devices_[enqueue_device(plan_, instruction)];
    const std::size_t free = free_track(now, tracks, known);
    if (free != 0) return free;
    return instruction.launch() != nullptr ? branch_track(now, &tracks) : copy_track(now, &tracks);
  }

  // A stream where the instruction waits for nothing that it need not wait for, that of its chain
  // if possible; 0 if there is none.
  [[nodiscard]] std::size_t free_track(std::uint32_t now, const DeviceTracks& tracks,
                                       const Clock& known) const {
    std::size_t free = 0;
    for (const std::size_t track : tracks.compute) {
      if (!knows(known, tracks_[track].tail)) continue;
      if (continues(now, tracks_[track].tail)) return track;
      if (free == 0) free = track;
    }
    return free;
  }

  [[nodiscard]] bool continues(std::uint32_t now, std::uint32_t tail) const {
    const auto& list = dependencies_[now];
    return std::any_of(list.begin(), list.end(),
                       [tail](const Dependency& dependency) { return dependency.on == tail; });
  }

  std::size_t branch_track(std::uint32_t now, DeviceTracks* tracks) {
    if (tracks->compute.size() < compute_streams_) return add_compute(now, tracks);
    return *std::min_element(
        tracks->compute.begin(), tracks->compute.end(),
        [this](std::size_t a, std::size_t b) { return tracks_[a].length < tracks_[b].length; });
  }

  std::size_t add_compute(std::uint32_t now, DeviceTracks* tracks) {
    const std::size_t count = tracks->compute.size();
    tracks->compute.push_back(add_track(now, count == 0 ? 0 : kOutwardStream + count));
    return tracks->compute.back();
  }

  std::size_t copy_track(std::uint32_t now, DeviceTracks* tracks) {
    if (tracks->compute.empty()) return add_compute(now, tracks);
    const ValueId to = plan_.instructions[now].transfer()->to;
    const bool outward = plan_.values[static_cast<std::size_t>(to)].space == nullptr;
    std::size_t& track = outward ? tracks->outward : tracks->inward;
    if (track == 0) track = add_track(now, outward ? kOutwardStream : kInwardStream);
    return track;
  }

  std::size_t add_track(std::uint32_t now, std::size_t index) {
    schedule_.streams.push_back({enqueue_device(plan_, plan_.instructions[now]), index});
    tracks_.emplace_back();
    return tracks_.size() - 1;
  }

  // Its own device's memory, and that of the devices that it copies from.
  void note_touched(std::uint32_t now, std::size_t track) {
    const Instruction& instruction = plan_.instructions[now];
    const auto stream = static_cast<std::uint32_t>(track - 1);
    touch({stream, enqueue_device(plan_, instruction)});
    const TransferStep* copy = instruction.transfer();
    if (copy == nullptr) return;
    const Space source = plan_.values[static_cast<std::size_t>(copy->from)].space;
    if (source != nullptr) touch({stream, source});
  }

  void touch(const StreamBesides& touched) {
    const ScheduledStream& stream = schedule_.streams[touched.stream];
    if (stream.index == 0 && stream.device == touched.device) return;
    auto& begins = schedule_.begins;
    if (std::find(begins.begin(), begins.end(), touched) == begins.end()) begins.push_back(touched);
  }

  void find_ends() {
    for (const StreamBesides& touched : schedule_.begins) {
      Clock known = tracks_[kHostTrack].clock;
      const DeviceTracks& tracks = devices_[touched.device];
      if (!tracks.compute.empty()) join(&known, tracks_[tracks.compute.front()].clock);
      if (!knows(known, tracks_[touched.stream + 1].tail)) schedule_.ends.push_back(touched);
    }
  }

  const Plan& plan_;
  const std::size_t compute_streams_;
  Dependencies dependencies_;
  Schedule schedule_;
  Timeline timeline_;
  std::vector<Clock> after_;   // by instruction: what is known when it has ended
  std::vector<Track> tracks_;  // that of the host, then those of the streams
  std::map<device::Device*, DeviceTracks> devices_;
  std::uint32_t last_ = 0;  // of the issued ones
  std::uint64_t issued_ = 0;
  bool overlaps_ = false;  // some instruction does not come after all that were issued before it
};

bool uses_queues(const Plan& plan) {
  return std::any_of(plan.instructions.begin(), plan.instructions.end(),
                     [&](const Instruction& instruction) {
                       return enqueue_kind(plan, instruction) != EnqueueKind::kHost;
                     });
}

}  // namespace

std::optional<TimedSchedule> make_schedule(const Plan& plan, std::size_t compute_streams) {
  if (compute_streams < 2 || !uses_queues(plan)) return std::nullopt;
  return Scheduler(plan, compute_streams).run();
}

}  // namespace loci::planning
