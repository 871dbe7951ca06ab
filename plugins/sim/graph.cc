#include "plugins/sim/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plugins/sim/device.h"
#include "plugins/sim/stream.h"

namespace loci::sim {
namespace {

DriverNode::Kind kind_of(const Work& work) {
  switch (work.facts().kind) {
    case LOCI_DEVICE_WORK_KERNEL: return DriverNode::Kind::kKernel;
    case LOCI_DEVICE_WORK_COPY: return DriverNode::Kind::kCopy;
    case LOCI_DEVICE_WORK_FILL: return DriverNode::Kind::kFill;
    default: return DriverNode::Kind::kOther;
  }
}

[[noreturn]] void refuse_update(const std::string& why) {
  throw sdk::Error(LOCI_CODE_UNSUPPORTED,
                   fmt::format("[sim] the graph is another one: {}; instantiate it", why));
}

}  // namespace

DriverNode DriverGraph::node(std::size_t index) const {
  const GraphNode& node = *(*nodes_)[index];
  const std::vector<std::uint32_t>& before = node.place.before;
  return {kind_of(*node.work),
          {node.name.data(), node.name.size()},
          node.item,
          before.data(),
          before.size()};
}

std::uint64_t DriverGraph::bytes() const {
  std::uint64_t bytes = sizeof(*this);
  for (const std::shared_ptr<const GraphNode>& node : *nodes_) {
    bytes += sizeof(*node) + node->name.capacity() + node->accesses.capacity() * sizeof(Access) +
             node->place.before.capacity() * sizeof(std::uint32_t) + node->work->kept_bytes();
  }
  return bytes;
}

void DriverExec::launch(Stream& stream, const DriverLaunch& launch) {
  const std::lock_guard lock(mutex_);
  if (latest_ != nullptr && latest_stream_ != &stream) stream.wait(latest_);
  latest_ = stream.launch_graph(nodes_, launch);
  latest_stream_ = &stream;
}

void DriverExec::patch(std::uint64_t item, std::uint32_t argument, void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(nodes_->begin(), nodes_->end(),
                                  [item](const auto& node) { return node->item == item; });
  if (found == nodes_->end()) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     fmt::format("[sim] there is no item {} in the graph", item));
  }
  auto patched = std::make_shared<GraphNode>(**found);
  patched->work = (*found)->work->with_address(argument, address, &patched->accesses);
  // Launches that are queued go on with the nodes that they have.
  auto changed = std::make_shared<GraphNodes>(*nodes_);
  (*changed)[static_cast<std::size_t>(found - nodes_->begin())] = std::move(patched);
  nodes_ = std::move(changed);
}

void DriverExec::update(const DriverGraph& graph) {
  const std::lock_guard lock(mutex_);
  const GraphNodes& now = *nodes_;
  const GraphNodes& later = *graph.nodes();
  for (std::size_t i = 0; i < std::min(now.size(), later.size()); ++i) {
    const std::string before = now[i]->work->name();
    const std::string after = later[i]->work->name();
    if (kind_of(*now[i]->work) != kind_of(*later[i]->work) || before != after) {
      refuse_update(fmt::format("its task {} is {} and was {}", i, after, before));
    }
    if (now[i]->place.before == later[i]->place.before) continue;
    refuse_update(fmt::format("its task {} waits for others than it did", i));
  }
  if (now.size() != later.size()) {
    refuse_update(fmt::format("it has {} tasks and had {}", later.size(), now.size()));
  }
  nodes_ = graph.nodes();
}

WorkFacts GraphWork::facts_of(const GraphNode& node) const {
  WorkFacts facts = node.work->facts();
  facts.correlation = launch_.correlation + node.item;
  facts.graph = launch_.graph;
  facts.replay = launch_.replay;
  return facts;
}

}  // namespace loci::sim
