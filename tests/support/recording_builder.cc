#include "tests/support/recording_builder.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace loci::test_support {
namespace {

constexpr std::uint64_t kFirstThreadId = 1000;

std::string copy_name(std::uint32_t direction) {
  switch (direction) {
    case LOCI_COPY_HOST_TO_DEVICE: return "memcpy HtoD";
    case LOCI_COPY_DEVICE_TO_HOST: return "memcpy DtoH";
    case LOCI_COPY_DEVICE_TO_DEVICE: return "memcpy DtoD";
    case LOCI_COPY_PEER: return "memcpy PtoP";
    default: return "memcpy";
  }
}

profiler::Label copy_label(const CopyOf& of) {
  profiler::Label label;
  label.kind = LOCI_SPAN_COPY;
  label.name = "copy";
  label.bytes = of.bytes;
  label.variable = of.variable;
  label.producer = of.producer;
  label.consumer = of.consumer;
  label.reason = of.reason;
  label.source = of.source;
  label.target = of.target;
  return label;
}

}  // namespace

RecordingBuilder::RecordingBuilder() {
  recording_.process_id = 4242;
  recording_.program = "example";
  recording_.version = "0.1.0";
  recording_.build = "test";
  recording_.machine = "a test's machine";
}

RecordingBuilder& RecordingBuilder::thread(const std::string& name) {
  std::vector<profiler::Thread>& threads = recording_.threads;
  const auto found =
      std::find_if(threads.begin(), threads.end(),
                   [&](const profiler::Thread& thread) { return thread.name == name; });
  thread_ = static_cast<std::size_t>(found - threads.begin());
  if (found == threads.end()) threads.push_back({kFirstThreadId + threads.size(), name, {}});
  return *this;
}

RecordingBuilder& RecordingBuilder::span(const profiler::Label& label, Ns begin, Ns end) {
  profiler::Thread& thread = current_thread();
  profiler::Span span;
  span.begin_ns = begin;
  span.end_ns = end;
  span.label = intern(label);
  span.depth = depth_of(begin, end);
  thread.spans.push_back(span);
  mention(end);
  return *this;
}

RecordingBuilder& RecordingBuilder::op(const std::string& type, const std::string& instance,
                                       Ns begin, Ns end) {
  return span({LOCI_SPAN_OP, type, instance}, begin, end);
}

RecordingBuilder& RecordingBuilder::gradient(const std::string& type, const std::string& instance,
                                             Ns begin, Ns end) {
  return span({LOCI_SPAN_GRADIENT, type, instance}, begin, end);
}

RecordingBuilder& RecordingBuilder::phase(const std::string& name, Ns begin, Ns end) {
  return span({LOCI_SPAN_PHASE, name}, begin, end);
}

RecordingBuilder& RecordingBuilder::framework(const std::string& name, Ns begin, Ns end) {
  return span({LOCI_SPAN_FRAMEWORK, name}, begin, end);
}

RecordingBuilder& RecordingBuilder::run(const std::string& name, Ns begin, Ns end) {
  return span({LOCI_SPAN_RUN, name}, begin, end);
}

RecordingBuilder& RecordingBuilder::user(const std::string& name, Ns begin, Ns end,
                                         const std::string& info) {
  profiler::Label label{LOCI_SPAN_USER, name};
  label.detail = info;
  return span(label, begin, end);
}

RecordingBuilder& RecordingBuilder::wait(const std::string& place, Ns begin, Ns end) {
  profiler::Label label{LOCI_SPAN_WAIT, "synchronize"};
  label.place = place;
  return span(label, begin, end);
}

RecordingBuilder& RecordingBuilder::call(const std::string& name, Ns begin, Ns end) {
  return span({LOCI_SPAN_CALL, name}, begin, end);
}

RecordingBuilder& RecordingBuilder::copy(const CopyOf& of, Ns begin, Ns end) {
  return span(copy_label(of), begin, end);
}

RecordingBuilder& RecordingBuilder::waited_copy(const CopyOf& of, Ns begin, Ns end) {
  return copy(of, begin, end).flags(LOCI_SPAN_HOST_WAITED);
}

RecordingBuilder& RecordingBuilder::flags(std::uint16_t flags) {
  last_span().flags = flags;
  return *this;
}

RecordingBuilder& RecordingBuilder::correlation(std::uint64_t id) {
  last_span().correlation = id;
  return *this;
}

RecordingBuilder& RecordingBuilder::device(const profiler::DeviceFacts& facts) {
  std::vector<profiler::DeviceFacts>& devices = recording_.devices;
  const auto found =
      std::find_if(devices.begin(), devices.end(),
                   [&](const profiler::DeviceFacts& known) { return known.place == facts.place; });
  device_ = static_cast<std::uint32_t>(found - devices.begin());
  if (found == devices.end()) devices.push_back(facts);
  return stream(0);
}

RecordingBuilder& RecordingBuilder::stream(std::uint32_t number) {
  stream_ = number;
  return *this;
}

RecordingBuilder& RecordingBuilder::kernel(const std::string& name, Ns begin, Ns end) {
  return work(LOCI_DEVICE_WORK_KERNEL, LOCI_COPY_UNKNOWN, name, 0, begin, end);
}

RecordingBuilder& RecordingBuilder::device_copy(std::uint32_t direction, std::uint64_t bytes,
                                                Ns begin, Ns end) {
  return work(LOCI_DEVICE_WORK_COPY, direction, copy_name(direction), bytes, begin, end);
}

RecordingBuilder& RecordingBuilder::device_fill(std::uint64_t bytes, Ns begin, Ns end) {
  return work(LOCI_DEVICE_WORK_FILL, LOCI_COPY_UNKNOWN, "memset", bytes, begin, end);
}

RecordingBuilder& RecordingBuilder::geometry(const loci_launch_geometry& geometry) {
  recording_.device_spans.back().geometry = geometry;
  return *this;
}

RecordingBuilder& RecordingBuilder::launched_by(std::uint64_t correlation) {
  recording_.device_spans.back().correlation = correlation;
  return *this;
}

RecordingBuilder& RecordingBuilder::replayed(std::uint32_t graph, std::uint64_t replay) {
  recording_.device_spans.back().graph = graph;
  recording_.device_spans.back().replay = replay;
  return *this;
}

RecordingBuilder& RecordingBuilder::collective(std::uint64_t bytes, std::uint64_t algorithm_bytes) {
  recording_.device_spans.back().bytes = bytes;
  recording_.device_spans.back().algorithm_bytes = algorithm_bytes;
  return *this;
}

RecordingBuilder& RecordingBuilder::allocate(Ns at, std::uint64_t address, std::uint64_t bytes,
                                             const std::string& name, const std::string& place) {
  current_thread();
  allocations_[address] = recording_.memory_events.size();
  recording_.memory_events.push_back({at, address, bytes, intern(name), intern(place),
                                      static_cast<std::uint32_t>(thread_), false});
  mention(at);
  return *this;
}

RecordingBuilder& RecordingBuilder::release(Ns at, std::uint64_t address) {
  current_thread();
  profiler::MemoryEvent event = recording_.memory_events[allocations_.at(address)];
  event.at_ns = at;
  event.thread = static_cast<std::uint32_t>(thread_);
  event.is_free = true;
  recording_.memory_events.push_back(event);
  mention(at);
  return *this;
}

RecordingBuilder& RecordingBuilder::step(Ns begin, Ns end) {
  recording_.steps.push_back({begin, end, recording_.steps.size()});
  mention(end);
  return *this;
}

RecordingBuilder& RecordingBuilder::drop(const std::string& kind, std::uint64_t count) {
  recording_.quality.drops.push_back({kind, count});
  return *this;
}

RecordingBuilder& RecordingBuilder::note(const std::string& text) {
  recording_.quality.notes.push_back(text);
  return *this;
}

profiler::Recording RecordingBuilder::build() const {
  profiler::Recording result = recording_;
  if (result.wall_ns == 0) result.wall_ns = last_time_;
  return result;
}

profiler::Thread& RecordingBuilder::current_thread() {
  if (recording_.threads.empty()) thread("main");
  return recording_.threads[thread_];
}

profiler::Span& RecordingBuilder::last_span() {
  if (current_thread().spans.empty()) throw std::logic_error("this thread has no span yet");
  return current_thread().spans.back();
}

profiler::LabelId RecordingBuilder::intern(const profiler::Label& label) {
  std::vector<profiler::Label>& labels = recording_.labels;
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found != labels.end()) return static_cast<profiler::LabelId>(found - labels.begin());
  labels.push_back(label);
  return static_cast<profiler::LabelId>(labels.size() - 1);
}

std::uint32_t RecordingBuilder::intern(const std::string& text) {
  const auto [found, is_new] =
      texts_.emplace(text, static_cast<std::uint32_t>(recording_.texts.size()));
  if (is_new) recording_.texts.push_back(text);
  return found->second;
}

// The innermost span around these times is the last one that holds them.
std::uint16_t RecordingBuilder::depth_of(Ns begin, Ns end) {
  const std::vector<profiler::Span>& spans = current_thread().spans;
  const auto around = std::find_if(spans.rbegin(), spans.rend(), [&](const profiler::Span& span) {
    return span.begin_ns <= begin && span.end_ns >= end;
  });
  return around == spans.rend() ? std::uint16_t{0} : static_cast<std::uint16_t>(around->depth + 1);
}

RecordingBuilder& RecordingBuilder::work(std::uint32_t kind, std::uint32_t direction,
                                         const std::string& name, std::uint64_t bytes, Ns begin,
                                         Ns end) {
  if (recording_.devices.empty()) {
    recording_.devices.push_back({"sim:0", "simulator", "1.0", true});
    recording_.devices.back().is_queued = true;
  }
  std::uint64_t& launched = last_span().correlation;
  if (launched == 0) launched = next_correlation_++;
  profiler::DeviceSpan span;
  span.begin_ns = begin;
  span.end_ns = end;
  span.correlation = launched;
  span.bytes = bytes;
  span.name = intern(name);
  span.kind = kind;
  span.direction = direction;
  span.device = device_;
  span.stream = stream_;
  recording_.device_spans.push_back(span);
  mention(end);
  return *this;
}

void RecordingBuilder::mention(Ns time) { last_time_ = std::max(last_time_, time); }

}  // namespace loci::test_support
