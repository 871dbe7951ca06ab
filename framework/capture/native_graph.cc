#include "framework/capture/native_graph.h"

#include <fmt/format.h>

#include <utility>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/device_graph/replay_scope.h"

namespace loci::capture {

void NativeGraph::lower(device::Device& device, GraphSplitting splitting) {
  segments_.clear();
  if (list_.size() == 0) return;
  const device_graph::Capturers::Found found =
      core::in_context<device_graph::Capturers>().of(device);
  if (found.capturer == nullptr) {
    segments_.push_back({0, list_.size(), found.reason, nullptr});
    return;
  }
  split();
  if (splitting == GraphSplitting::kRefused) refuse_split(device);
  for (Segment& segment : segments_) {
    if (segment.reason.empty()) capture(found.capturer, &segment);
    is_native_ = is_native_ || segment.executable != nullptr;
  }
}

// Into runs as long as can be: an item that does nothing fits into each.
void NativeGraph::split() {
  for (std::size_t item = 0; item < list_.size(); ++item) {
    std::string reason = list_.capture_refusal(item);
    const bool fits = list_.is_nothing(item) || segments_.empty() ||
                      reason.empty() == segments_.back().reason.empty();
    if (fits && !segments_.empty()) {
      segments_.back().last = item + 1;
    } else if (!list_.is_nothing(item)) {
      segments_.push_back({segments_.empty() ? 0 : item, item + 1, std::move(reason), nullptr});
    }
  }
  if (segments_.empty()) segments_.push_back({0, list_.size(), "it does nothing", nullptr});
}

void NativeGraph::refuse_split(const device::Device& device) const {
  for (const Segment& segment : segments_) {
    if (segment.reason.empty()) continue;
    core::raise(ErrorCode::kUnsupported,
                "[capture] {} in stream {} of graph {} at {} cannot be part of a device graph: {}; "
                "leave it out of the capture, or allow the graph to be split "
                "(GraphOptions::splitting)",
                list_.describe(segment.first), list_.stream(segment.first), number_,
                device.place().to_string(), segment.reason);
  }
}

void NativeGraph::capture(const std::shared_ptr<device_graph::Capturer>& capturer,
                          Segment* segment) const {
  try {
    segment->executable =
        std::make_unique<device_graph::Executable>(capturer, list_, segment->first, segment->last);
  } catch (const Error& error) {
    capturer->device().note_loss(error);
    segment->reason = fmt::format("{} failed: {}", capturer->plugin().id(), error.what());
    core::log(core::Module::kCapture, core::Level::kWarn,
              "{} items of graph {} at {} are launched one by one: {}",
              segment->last - segment->first, number_, capturer->device().place().to_string(),
              segment->reason);
  }
}

void NativeGraph::share(std::vector<GraphTemporary> temporaries, GraphMemory& memory,
                        std::uint64_t most_bytes) {
  if (is_native_ || list_.launches() < 2) return;
  cores_ = std::make_unique<GraphCores>(list_, std::move(temporaries), memory, most_bytes);
}

void NativeGraph::follow() {
  is_behind_ = true;
  for (Segment& segment : segments_) {
    if (segment.executable != nullptr) segment.executable->follow(list_, &exchanges_);
  }
  is_behind_ = false;
}

void NativeGraph::run(const device::Device& device, eager::Queue& queue, loci_stream* stream,
                      std::uint64_t correlation) {
  const LaunchList::Target target{device, queue, stream};
  const device_graph::ReplayScope scope(number_, ++replay_);
  if (cores_ != nullptr) return cores_->run(target, correlation);
  if (!is_native_) return list_.run(0, list_.size(), target, correlation);
  loci_graph_launch launch{};
  launch.struct_size = sizeof launch;
  launch.graph = static_cast<std::uint32_t>(number_);
  launch.replay = replay_;
  launch.correlation = correlation;
  launch.stream = stream;
  for (Segment& segment : segments_) {
    if (segment.executable == nullptr) {
      list_.run(segment.first, segment.last, target, correlation + segment.first);
      continue;
    }
    segment.executable->launch(launch);
    list_.note_captured(segment.first, segment.last, correlation + segment.first);
  }
}

std::string NativeGraph::reason_of(const Segment& segment) const {
  const std::string shared = cores_ == nullptr ? std::string() : cores_->told();
  return shared.empty() ? segment.reason : segment.reason + "; " + shared;
}

std::vector<GraphSegment> NativeGraph::segments() const {
  std::vector<GraphSegment> result;
  for (const Segment& segment : segments_) {
    GraphSegment told;
    told.items = segment.last - segment.first;
    told.reason = reason_of(segment);
    if (segment.executable != nullptr) {
      const loci_graph_stats stats = segment.executable->graph().stats();
      told.is_native = true;
      told.nodes = stats.kernels + stats.copies + stats.fills + stats.others;
      told.bytes = stats.bytes;
    }
    result.push_back(std::move(told));
  }
  return result;
}

std::string NativeGraph::dump() const {
  std::string text;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    const bool is_native = segment.executable != nullptr;
    text += fmt::format("segment {}: {} items by {}\n", i, segment.last - segment.first,
                        is_native ? "a graph of the device's" : "the host: " + reason_of(segment));
    if (is_native) text += segment.executable->graph().dump();
  }
  return text;
}

}  // namespace loci::capture
