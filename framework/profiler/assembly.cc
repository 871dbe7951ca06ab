#include "framework/profiler/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace loci::profiler {
namespace {

// Calls lie within whatever the thread was doing.
constexpr std::uint16_t kCallDepth = UINT16_MAX;

bool is_memory(const Record& record) {
  return (record.flags & (kAllocationRecord | kReleaseRecord)) != 0;
}

std::uint64_t first_begin(const Thread& thread) {
  std::uint64_t first = UINT64_MAX;
  for (const Span& span : thread.spans) first = std::min(first, span.begin_ns);
  return first;
}

}  // namespace

std::uint64_t Assembly::session_ns(std::uint64_t monotonic) const {
  return std::clamp(monotonic, period_.begin_ns, period_.end_ns) - period_.begin_ns +
         period_.offset_ns;
}

void Assembly::add_period(const Harvest& harvest, std::uint64_t keep_last_ns) {
  fit_.assign(1, ClockFit(harvest.clock));
  period_.begin_ns = fit_[0].to_ns(harvest.begin_ticks);
  period_.end_ns = std::max(fit_[0].to_ns(harvest.end_ticks), period_.begin_ns);
  period_.offset_ns = recording_.wall_ns;
  const bool cuts = keep_last_ns > 0 && period_.end_ns - period_.begin_ns > keep_last_ns;
  if (cuts) period_.begin_ns = period_.end_ns - keep_last_ns;

  for (const ThreadRecords& thread : harvest.threads) {
    add_thread(thread, cuts ? period_.begin_ns : 0);
  }
  recording_.wall_ns += period_.end_ns - period_.begin_ns;
  Quality& quality = recording_.quality;
  quality.clock = has_invariant_tsc() ? "tsc" : "monotonic";
  quality.clock_error_ns = std::max(quality.clock_error_ns, fit_[0].error_ns());
  quality.own_cost_ns += harvest.own_cost_ns;
  quality.drain_cost_ns += harvest.keeper_cost_ns;
  add_drops("span", harvest.dropped.scopes);
  add_drops("memory", harvest.dropped.others);
}

void Assembly::add_thread(const ThreadRecords& from, std::uint64_t oldest_ns) {
  Thread& thread = thread_of(from.os_id, from.name);
  const auto index = static_cast<std::uint32_t>(&thread - recording_.threads.data());
  for (const Record& record : from.records) {
    if (is_memory(record)) {
      if (fit_[0].to_ns(record.begin) >= oldest_ns) add_memory(record, index);
      continue;
    }
    const std::uint64_t end = fit_[0].to_ns(record.end);
    if (end < oldest_ns) continue;
    thread.spans.push_back({session_ns(fit_[0].to_ns(record.begin)), session_ns(end),
                            record.correlation, label_of(record.label), record.depth,
                            record.flags});
  }
}

void Assembly::add_memory(const Record& record, std::uint32_t thread) {
  const Label label = table_.at(record.label);
  recording_.memory_events.push_back({.at_ns = session_ns(fit_[0].to_ns(record.begin)),
                                      .address = record.end,
                                      .bytes = record.correlation,
                                      .name = texts_.intern(label.name),
                                      .place = texts_.intern(label.place),
                                      .thread = thread,
                                      .is_free = (record.flags & kReleaseRecord) != 0});
}

void Assembly::add_device_log(const DeviceLog::Content& content) {
  const auto inside = [this](std::uint64_t begin, std::uint64_t end) {
    return end >= period_.begin_ns && begin <= period_.end_ns && begin <= end;
  };
  for (const auto& [record, name] : content.device) {
    if (!inside(record.begin_ns, record.end_ns)) continue;
    const std::uint32_t device =
        device_of(fmt::format("{}:{}", content.device_type, record.device));
    recording_.device_spans.push_back({.begin_ns = session_ns(record.begin_ns),
                                       .end_ns = session_ns(record.end_ns),
                                       .correlation = record.correlation,
                                       .bytes = record.bytes,
                                       .name = texts_.intern(content.texts[name]),
                                       .kind = record.kind,
                                       .direction = record.direction,
                                       .device = device,
                                       .stream = stream_of(device, record.stream),
                                       .graph = record.graph,
                                       .replay = record.replay,
                                       .algorithm_bytes = record.algorithm_bytes,
                                       .geometry = record.geometry});
  }
  for (const auto& [record, name] : content.calls) {
    if (!inside(record.begin_ns, record.end_ns)) continue;
    thread_of(record.os_thread, "")
        .spans.push_back({session_ns(record.begin_ns), session_ns(record.end_ns),
                          record.correlation, call_label(content.texts[name]), kCallDepth, 0});
  }
  add_drops(fmt::format("device records of {}", content.device_type), content.dropped);
  for (const std::string& note : content.notes) recording_.quality.notes.push_back(note);
}

void Assembly::add_step(std::uint64_t begin_ticks, std::uint64_t end_ticks, std::uint64_t number) {
  recording_.steps.push_back(
      {session_ns(fit_[0].to_ns(begin_ticks)), session_ns(fit_[0].to_ns(end_ticks)), number});
}

void Assembly::add_devices(const std::vector<DeviceFacts>& facts) {
  for (const DeviceFacts& one : facts) recording_.devices[device_of(one.place)] = one;
}

Recording Assembly::finish(std::uint64_t main_os_id) {
  std::vector<Thread>& threads = recording_.threads;
  std::vector<std::size_t> order(threads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::uint64_t> firsts;
  for (const Thread& thread : threads) firsts.push_back(first_begin(thread));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return firsts[a] < firsts[b]; });
  std::vector<std::uint32_t> number(threads.size());
  std::vector<Thread> sorted;
  for (const std::size_t i : order) {
    number[i] = static_cast<std::uint32_t>(sorted.size());
    if (threads[i].os_id == main_os_id) recording_.main_thread = number[i];
    sorted.push_back(std::move(threads[i]));
  }
  threads = std::move(sorted);
  for (MemoryEvent& event : recording_.memory_events) event.thread = number[event.thread];
  recording_.texts = texts_.texts();
  return std::move(recording_);
}

Thread& Assembly::thread_of(std::uint64_t os_id, const std::string& name) {
  const auto [entry, added] = threads_.emplace(os_id, recording_.threads.size());
  if (added) recording_.threads.push_back({os_id, name, {}});
  Thread& thread = recording_.threads[entry->second];
  if (thread.name.empty()) thread.name = name;
  return thread;
}

LabelId Assembly::label_of(LabelId in_table) {
  const auto [entry, added] =
      labels_.emplace(in_table, static_cast<LabelId>(recording_.labels.size()));
  if (added) recording_.labels.push_back(table_.at(in_table));
  return entry->second;
}

LabelId Assembly::call_label(const std::string& name) {
  const auto [entry, added] = calls_.emplace(name, static_cast<LabelId>(recording_.labels.size()));
  if (added) recording_.labels.push_back({.kind = LOCI_SPAN_CALL, .name = name});
  return entry->second;
}

std::uint32_t Assembly::device_of(const std::string& place) {
  std::vector<DeviceFacts>& devices = recording_.devices;
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const DeviceFacts& device) { return device.place == place; });
  const auto index = static_cast<std::uint32_t>(found - devices.begin());
  if (found == devices.end()) devices.push_back({.place = place});
  return index;
}

std::uint32_t Assembly::stream_of(std::uint32_t device, std::uint32_t number) {
  if (streams_.size() <= device) streams_.resize(device + 1);
  std::vector<std::uint32_t>& numbers = streams_[device];
  const auto found = std::find(numbers.begin(), numbers.end(), number);
  const auto index = static_cast<std::uint32_t>(found - numbers.begin());
  if (found == numbers.end()) numbers.push_back(number);
  return index;
}

void Assembly::add_drops(std::string_view kind, std::uint64_t count) {
  if (count == 0) return;
  std::vector<Drop>& drops = recording_.quality.drops;
  const auto found = std::find_if(drops.begin(), drops.end(),
                                  [kind](const Drop& drop) { return drop.kind == kind; });
  if (found == drops.end()) {
    drops.push_back({std::string(kind), count});
  } else {
    found->count += count;
  }
}

}  // namespace loci::profiler
