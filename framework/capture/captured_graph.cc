#include "framework/capture/captured_graph.h"

#include <fmt/format.h>

#include <utility>

namespace loci::capture {

CapturedGraph::CapturedGraph(std::uint64_t number, device::Device& device,
                             std::shared_ptr<GraphMemory> memory)
    : number(number), device(device), memory(std::move(memory)) {
  list.set_name(fmt::format("graph {} at {}", number, device.place().to_string()));
}

// The thread that ends the last replay destroys it; that may be a queue's.
CapturedGraph::~CapturedGraph() { retire(); }

void CapturedGraph::retire() noexcept {
  if (!std::exchange(is_sealed_, false)) return;
  memory->leave(number);
  for (const std::shared_ptr<tensor::Storage>& output : outputs) {
    output->extras.find()->graph_writers.fetch_sub(1);
  }
  outputs.clear();
}

void CapturedGraph::seal(std::vector<Extent> written) {
  for (const std::shared_ptr<tensor::Storage>& output : outputs) {
    output->extras.get().graph_writers.fetch_add(1);
  }
  outside.find_constants();
  memory->enter(number, united(std::move(written)), {outputs.begin(), outputs.end()});
  is_sealed_ = true;
}

void CapturedGraph::prepare_replay(std::uint64_t earlier) {
  device.require_reach();
  outside.check(number, earlier);
  gradients.check(number, earlier);
  bool has_moved = false;
  for (const std::unique_ptr<ProgramRun>& each : runs) {
    if (!each->is_bound()) [[unlikely]] {
      wait();  // a replay under way reads the addresses
      each->bind(number);
      has_moved = true;
    }
    each->check(number);
    each->count_changes();
  }
  if (has_moved || native.is_behind()) [[unlikely]]
    native.follow();
  outside.count_changes();
  changes.keep();
  // Whoever reads them from now on waits for the replay.
  for (const std::shared_ptr<tensor::Storage>& output : outputs) {
    output->absence.store(nullptr, std::memory_order_relaxed);
    output->version.fetch_add(1, std::memory_order_relaxed);
  }
}

template <class Visit>
void CapturedGraph::for_each_overwritten(const Visit& visit) const {
  const std::shared_ptr<const GraphMemory::Outputs> later = memory->overwritten_by(number);
  if (later == nullptr) return;
  for (const std::weak_ptr<tensor::Storage>& output : *later) {
    if (const std::shared_ptr<tensor::Storage> storage = output.lock()) visit(*storage);
  }
}

// Outputs of graphs that were captured later, in memory that this one writes: nobody may read them
// until that graph is replayed. As the replay is issued, behind what has been issued for them.
void CapturedGraph::spoil_later_outputs() const {
  std::shared_ptr<device::Failure> failure;
  for_each_overwritten([&](tensor::Storage& output) {
    if (tensor::awaits_replay(output)) return;
    if (failure == nullptr) {
      failure = device::failure_of(Error(
          ErrorCode::kInvalidArgument,
          fmt::format("a replay of graph {}, with which its graph shares a pool, has overwritten "
                      "it; replay graphs of one pool in the order of their capture, and read or "
                      "copy outputs before the next round",
                      number)));
    }
    output.uses.fail(failure);
  });
}

void CapturedGraph::wait() noexcept {
  for (const tensor::Ticket& ticket : memory->uses().pending(/*writers_only=*/false)) {
    ticket.queue->wait_quietly(ticket.number);
  }
}

void CapturedGraph::enter_uses(const tensor::Ticket& ticket,
                               InlineList<eager::Dependency, 4>* before, eager::Sources* sources) {
  const auto enter = [&](tensor::Uses& uses) {
    tensor::Tickets tickets;
    uses.enter(ticket, /*writes=*/true, &tickets);
    for (const tensor::Ticket& earlier : tickets) {
      before->push_back({earlier, /*is_source=*/false, /*for_host=*/false});
    }
  };
  enter(memory->uses());
  for (const std::shared_ptr<tensor::Storage>& output : outputs) enter(output->uses);
  outside.enter_uses(ticket, before, sources);
  for (const std::unique_ptr<ProgramRun>& each : runs) each->enter_uses(ticket, before, sources);
  for_each_overwritten([&](tensor::Storage& output) { enter(output.uses); });
}

bool CapturedGraph::is_ready() const {
  if (!memory->uses().has_ended(/*writers_only=*/false) || !outside.is_ready()) return false;
  for (const std::shared_ptr<tensor::Storage>& output : outputs) {
    if (!output->uses.has_ended(/*writers_only=*/false)) return false;
  }
  bool all = true;
  for (const std::unique_ptr<ProgramRun>& each : runs) all = all && each->is_ready();
  for_each_overwritten([&all](tensor::Storage& output) {
    all = all && output.uses.has_ended(/*writers_only=*/false);
  });
  return all;
}

bool CapturedGraph::is_small() const { return list.is_small() && !memory->is_shared(); }

void CapturedGraph::fail(const std::shared_ptr<device::Failure>& failure) {
  for (const std::shared_ptr<tensor::Storage>& output : outputs) output->uses.fail(failure);
  outside.fail(failure);
  for (const std::unique_ptr<ProgramRun>& each : runs) each->fail(failure);
}

std::shared_ptr<device::Failure> CapturedGraph::failed_input() const {
  if (std::shared_ptr<device::Failure> failure = outside.failure()) return failure;
  for (const std::unique_ptr<ProgramRun>& each : runs) {
    if (std::shared_ptr<device::Failure> failure = each->failure()) return failure;
  }
  return nullptr;
}

void CapturedGraph::clear_failures() {
  for (const std::shared_ptr<tensor::Storage>& output : outputs) {
    output->uses.clear_failure();
  }
  outside.clear_failures();
  for (const std::unique_ptr<ProgramRun>& each : runs) each->clear_failures();
  spoil_later_outputs();
}

std::string CapturedGraph::describe() const {
  return fmt::format("[replay] graph {} ({} launches, {} copies) at {}", number, list.launches(),
                     list.copies(), device.place().to_string());
}

}  // namespace loci::capture
