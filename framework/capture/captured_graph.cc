#include "framework/capture/captured_graph.h"

#include <fmt/format.h>

#include <utility>

namespace loci::capture {

CapturedGraph::~CapturedGraph() {
  wait();
  if (is_sealed_) memory->leave(number);
}

void CapturedGraph::seal(std::vector<Extent> written) {
  outside.find_constants();
  memory->enter(number, united(std::move(written)), {outputs.begin(), outputs.end()});
  is_sealed_ = true;
}

void CapturedGraph::prepare_replay() {
  device.require_reach();
  outside.check(number);
  for (const std::unique_ptr<ProgramRun>& each : runs) {
    if (!each->is_bound()) [[unlikely]] {
      wait();  // a replay under way reads the addresses
      each->bind(number);
    }
    each->check(number);
    each->count_changes();
  }
  outside.count_changes();
  // Whoever reads them from now on waits for the replay.
  for (const std::shared_ptr<tensor::Storage>& output : outputs) {
    output->absence.store(nullptr, std::memory_order_relaxed);
  }
  spoil_later_outputs();
}

// Outputs of graphs that were captured later, in memory that this one writes: nobody may read them
// until that graph is replayed.
void CapturedGraph::spoil_later_outputs() {
  const std::shared_ptr<const GraphMemory::Outputs> later = memory->overwritten_by(number);
  if (later == nullptr) return;
  std::shared_ptr<device::Failure> failure;
  for (const std::weak_ptr<tensor::Storage>& output : *later) {
    const std::shared_ptr<tensor::Storage> storage = output.lock();
    if (storage == nullptr || storage->absence.load() == tensor::kNotReplayed) continue;
    if (failure == nullptr) {
      failure = device::failure_of(Error(
          ErrorCode::kInvalidArgument,
          fmt::format("a replay of graph {}, with which its graph shares a pool, has overwritten "
                      "it; replay graphs of one pool in the order of their capture, and read or "
                      "copy outputs before the next round",
                      number)));
    }
    storage->uses.fail(failure);
  }
}

void CapturedGraph::wait() noexcept {
  for (const tensor::Ticket& ticket : memory->uses().pending(/*writers_only=*/false)) {
    ticket.queue->wait_quietly(ticket.number);
  }
}

void CapturedGraph::enter_uses(const tensor::Ticket& ticket,
                               InlineList<eager::Dependency, 4>* before) {
  const auto enter = [&](tensor::Uses& uses) {
    tensor::Tickets tickets;
    uses.enter(ticket, /*writes=*/true, &tickets);
    for (const tensor::Ticket& earlier : tickets) {
      before->push_back({earlier, /*is_source=*/false, /*for_host=*/false});
    }
  };
  enter(memory->uses());
  for (const std::shared_ptr<tensor::Storage>& output : outputs) enter(output->uses);
  outside.enter_uses(ticket, before);
  for (const std::unique_ptr<ProgramRun>& each : runs) each->enter_uses(ticket, before);
}

bool CapturedGraph::is_ready() const {
  if (!memory->uses().has_ended(/*writers_only=*/false) || !outside.is_ready()) return false;
  for (const std::shared_ptr<tensor::Storage>& output : outputs) {
    if (!output->uses.has_ended(/*writers_only=*/false)) return false;
  }
  for (const std::unique_ptr<ProgramRun>& each : runs) {
    if (!each->is_ready()) return false;
  }
  return true;
}

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
}

std::string CapturedGraph::describe() const {
  return fmt::format("[replay] graph {} ({} launches, {} copies) at {}", number, list.launches(),
                     list.copies(), device.place().to_string());
}

}  // namespace loci::capture
