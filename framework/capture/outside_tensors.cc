#include "framework/capture/outside_tensors.h"

#include <fmt/format.h>

#include "framework/core/raise.h"

namespace loci::capture {
namespace {

std::string name_of(const tensor::TensorImpl& tensor) {
  return fmt::format("'{}' {}{} at {}", tensor.name(), dtype_name(tensor.dtype()),
                     tensor.shape().to_string(), tensor.place().to_string());
}

}  // namespace

OutsideTensors::~OutsideTensors() {
  for (const Outside& each : tensors_) each.extras->graph_readers.fetch_sub(1);
}

void OutsideTensors::add(const tensor::TensorImpl& tensor, Access access, const std::string& op) {
  const auto [found, is_new] = index_.emplace(tensor.storage().get(), tensors_.size());
  if (is_new) {
    tensor::StorageExtras& extras = tensor.storage()->extras.get();
    tensors_.push_back(
        {.storage = tensor.storage(), .extras = &extras, .name = name_of(tensor), .op = op});
    extras.graph_readers.fetch_add(1);
  }
  Outside& outside = tensors_[found->second];
  // Of what is written in part the rest has to be there.
  const bool is_part = tensor.bytes() < tensor.storage()->bytes;
  if (access == Access::kWritten) {
    outside.is_read = outside.is_read || (is_part && !outside.is_written);
    outside.is_written = true;
    return;
  }
  outside.is_read = outside.is_read || !outside.is_written;
  outside.is_read_on_host = outside.is_read_on_host || access == Access::kReadOnHost;
}

// What another graph makes is kept by that one, and written by its replays.
bool OutsideTensors::is_orphan(const Outside& tensor) {
  const tensor::StorageExtras& extras = *tensor.extras;
  return static_cast<std::uint64_t>(tensor.storage.use_count()) <=
             extras.graph_readers.load(std::memory_order_relaxed) &&
         extras.graph_writers.load(std::memory_order_relaxed) == 0;
}

void OutsideTensors::find_constants() {
  for (Outside& each : tensors_) each.is_constant = is_orphan(each);
}

void OutsideTensors::check(std::uint64_t graph) const {
  for (const Outside& each : tensors_) {
    const bool is_gone = !each.is_constant && is_orphan(each);
    if (is_gone || (each.is_read && each.storage->uses.has_failed() &&
                    each.storage->uses.has_ended(/*writers_only=*/true))) [[unlikely]]
      refuse(each, graph);
  }
}

void OutsideTensors::refuse(const Outside& tensor, std::uint64_t graph) {
  if (const std::shared_ptr<device::Failure> failure = tensor.storage->uses.failure()) {
    throw Error(failure->error.code(),
                fmt::format("[replay] graph {} reads {} in [{}], which has no elements: {}", graph,
                            tensor.name, tensor.op, failure->error.what()),
                failure->error.details());
  }
  core::raise(ErrorCode::kInvalidArgument,
              "[replay] graph {} {} {} in [{}], and nobody has that tensor any more: it was freed "
              "after the capture, and a replay would use what is old; keep the tensor and change "
              "it in place (copy_(), fill_()), or capture again",
              graph, tensor.is_read ? "reads" : "writes", tensor.name, tensor.op);
}

void OutsideTensors::count_changes() const {
  for (const Outside& each : tensors_) {
    if (each.is_written) each.storage->version.fetch_add(1, std::memory_order_relaxed);
  }
}

bool OutsideTensors::is_ready() const {
  for (const Outside& each : tensors_) {
    if (!each.storage->uses.has_ended(/*writers_only=*/!each.is_written)) return false;
  }
  return true;
}

void OutsideTensors::enter_uses(const tensor::Ticket& ticket,
                                InlineList<eager::Dependency, 4>* before,
                                eager::Sources* sources) const {
  for (const Outside& each : tensors_) {
    tensor::Tickets tickets;
    tensor::Ticket source;
    // The replay's own queue, too, may write what the host is to read.
    if (each.is_read_on_host) tickets = each.storage->uses.pending(/*writers_only=*/true);
    each.storage->uses.enter(ticket, each.is_written, &tickets, &source);
    if (each.is_read) eager::add_source(source, sources);
    for (const tensor::Ticket& earlier : tickets) {
      before->push_back({earlier, /*is_source=*/each.is_read, each.is_read_on_host});
    }
  }
}

void OutsideTensors::fail(const std::shared_ptr<device::Failure>& failure) const {
  for (const Outside& each : tensors_) {
    if (each.is_written) each.storage->uses.fail(failure);
  }
}

std::shared_ptr<device::Failure> OutsideTensors::failure() const {
  for (const Outside& each : tensors_) {
    if (each.is_read && each.storage->uses.has_failed()) return each.storage->uses.failure();
  }
  return nullptr;
}

void OutsideTensors::clear_failures() const {
  for (const Outside& each : tensors_) {
    if (each.is_written && !each.is_read) each.storage->uses.clear_failure();
  }
}

}  // namespace loci::capture
