#include "framework/profiler/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "framework/profiler/abi_text.h"
#include "framework/profiler/accounting.h"
#include "framework/profiler/attribution.h"
#include "framework/profiler/call_tree.h"
#include "framework/profiler/copy_sums.h"
#include "framework/profiler/device_time.h"
#include "framework/profiler/gaps.h"
#include "framework/profiler/memory_use.h"
#include "framework/profiler/nesting.h"
#include "framework/profiler/soundness.h"
#include "framework/profiler/steps.h"

namespace loci::profiler {
namespace {

loci_profile_label shown(const Label& label) {
  loci_profile_label result{};
  result.kind = label.kind;
  result.name = to_abi(label.name);
  result.instance = to_abi(label.instance);
  result.place = to_abi(label.place);
  result.kernel = to_abi(label.kernel);
  result.detail = to_abi(label.detail);
  result.flops = label.flops;
  result.bytes = label.bytes;
  result.variable = to_abi(label.variable);
  result.producer = to_abi(label.producer);
  result.consumer = to_abi(label.consumer);
  result.reason = to_abi(label.reason);
  result.source = to_abi(label.source);
  result.target = to_abi(label.target);
  return result;
}

Nesting nest_sound(Recording& recording) {
  check_sound(recording);
  return nest_spans(recording);
}

CallTrees trees_with_device_time(const Recording& recording, Nesting& nesting,
                                 const DeviceWork& work) {
  CallTrees trees = build_call_trees(recording, nesting);
  unite_device_time(nesting, work, trees);
  return trees;
}

template <class T>
void show(const std::vector<T>& array, const T*& data, std::uint64_t& count) {
  data = array.data();
  count = array.size();
}

}  // namespace

// In the order of the computation.
struct Profile::Impl {
  explicit Impl(Recording recorded);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void show_levels();
  void describe_quality();
  void describe_session();
  void show_arrays();

  Recording recording;
  Nesting nesting;
  DeviceWork work;
  CallTrees trees;
  MemoryUse memory;
  std::vector<loci_profile_label> labels;
  std::vector<loci_profile_thread> threads;
  std::vector<loci_profile_device> devices;
  std::vector<std::vector<loci_profile_memory_level>> levels;  // of each device
  std::vector<loci_profile_step> steps;
  std::vector<loci_profile_copy> copies;
  std::vector<loci_profile_gap> gaps;
  std::string cut_calls;  // a sentence
  std::vector<loci_profile_drop> drops;
  std::vector<loci_str> notes;
  loci_profile_quality quality{};
  loci_profile abi{};
};

Profile::Impl::Impl(Recording recorded)
    : recording(std::move(recorded)),
      nesting(nest_sound(recording)),
      work(attribute(recording, nesting)),
      trees(trees_with_device_time(recording, nesting, work)),
      memory(follow_memory(recording, nesting)),
      threads(account(recording, nesting)),
      devices(describe_devices(recording, work)),
      steps(find_steps(recording, nesting)),
      copies(sum_copies(recording, nesting)),
      gaps(find_gaps(recording, nesting, work)) {
  labels.reserve(recording.labels.size());
  for (const Label& label : recording.labels) labels.push_back(shown(label));
  show_levels();
  describe_quality();
  describe_session();
  show_arrays();
}

void Profile::Impl::show_levels() {
  levels.resize(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (const MemoryLevel& level : recording.devices[i].levels) {
      levels[i].push_back({level.call_bytes, level.bytes});
    }
    show(levels[i], devices[i].levels, devices[i].level_count);
  }
}

void Profile::Impl::describe_quality() {
  const Quality& recorded = recording.quality;
  for (const Drop& drop : recorded.drops) drops.push_back({to_abi(drop.kind), drop.count});
  for (const std::string& note : recorded.notes) notes.push_back(to_abi(note));
  if (nesting.cut_calls != 0) {
    cut_calls = fmt::format(
        "calls of a device's interface that stuck out of what is around them, and were cut: {}",
        nesting.cut_calls);
    notes.push_back(to_abi(cut_calls));
  }
  quality.struct_size = sizeof quality;
  show(drops, quality.drops, quality.drop_count);
  quality.truncated_spans = static_cast<std::uint64_t>(std::count_if(
      nesting.spans.begin(), nesting.spans.end(),
      [](const loci_profile_span& span) { return (span.flags & LOCI_SPAN_TRUNCATED) != 0; }));
  quality.unattributed_device_spans = work.unattributed_spans;
  quality.unattributed_device_ns = work.unattributed_ns;
  quality.clock_error_ns = recorded.clock_error_ns;
  quality.clock = to_abi(recorded.clock);
  quality.own_cost_ns = recorded.own_cost_ns;
  quality.drain_cost_ns = recorded.drain_cost_ns;
  show(notes, quality.notes, quality.note_count);
}

void Profile::Impl::describe_session() {
  abi.struct_size = sizeof abi;
  abi.level = recording.level;
  abi.main_thread = recording.main_thread;
  abi.wall_ns = recording.wall_ns;
  abi.started_at_unix_ns = recording.started_at_unix_ns;
  abi.process_id = recording.process_id;
  abi.rank = recording.rank;
  abi.world_size = recording.world_size;
  abi.program = to_abi(recording.program);
  abi.version = to_abi(recording.version);
  abi.build = to_abi(recording.build);
  abi.machine = to_abi(recording.machine);
  abi.quality = &quality;
}

void Profile::Impl::show_arrays() {
  show(labels, abi.labels, abi.label_count);
  show(threads, abi.threads, abi.thread_count);
  show(devices, abi.devices, abi.device_count);
  show(steps, abi.steps, abi.step_count);
  show(nesting.spans, abi.spans, abi.span_count);
  show(work.spans, abi.device_spans, abi.device_span_count);
  show(trees.nodes, abi.nodes, abi.node_count);
  abi.node_spans = trees.node_spans.data();
  show(trees.thread_nodes, abi.thread_nodes, abi.thread_node_count);
  abi.thread_node_spans = trees.thread_node_spans.data();
  show(copies, abi.copies, abi.copy_count);
  show(memory.events, abi.memory_events, abi.memory_event_count);
  show(memory.tensors, abi.tensors, abi.tensor_count);
  show(gaps, abi.gaps, abi.gap_count);
}

Profile::Profile(Recording recording) : impl_(std::make_unique<Impl>(std::move(recording))) {}
Profile::~Profile() = default;
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;

const Recording& Profile::recording() const { return impl_->recording; }
const loci_profile& Profile::abi() const { return impl_->abi; }

}  // namespace loci::profiler
