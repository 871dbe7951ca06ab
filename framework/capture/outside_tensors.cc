#include "framework/capture/outside_tensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/log.h"
#include "framework/core/raise.h"

namespace loci::capture {

std::string name_of(const tensor::TensorImpl& tensor) {
  return fmt::format("'{}' {}{} at {}", tensor.name(), dtype_name(tensor.dtype()),
                     tensor.shape().to_string(), tensor.place().to_string());
}

OutsideTensors::~OutsideTensors() {
  for (const Outside& each : tensors_) each.extras->graph_readers.fetch_sub(1);
}

OutsideTensors::Outside& OutsideTensors::find_or_add(
    const std::shared_ptr<tensor::Storage>& storage) {
  const auto [found, is_new] = index_.emplace(storage.get(), tensors_.size());
  if (is_new) {
    tensor::StorageExtras& extras = storage->extras.get();
    tensors_.push_back({.storage = storage, .extras = &extras});
    extras.graph_readers.fetch_add(1);
  }
  return tensors_[found->second];
}

void OutsideTensors::add(const tensor::TensorImpl& tensor, Access access, const std::string& op) {
  Outside& outside = find_or_add(tensor.storage());
  if (outside.op.empty()) {
    outside.name = name_of(tensor);
    outside.op = op;
  }
  // Where a tensor is written in part, the rest of its storage has to be there.
  const bool is_part = tensor.bytes() < tensor.storage()->bytes;
  if (access == Access::kWritten) {
    outside.is_read = outside.is_read || (is_part && !outside.is_written);
    outside.is_written = true;
    return;
  }
  outside.is_read = outside.is_read || !outside.is_written;
  outside.is_read_on_host = outside.is_read_on_host || access == Access::kReadOnHost;
}

void OutsideTensors::add_host_read(const std::shared_ptr<tensor::Storage>& storage,
                                   std::string_view read) {
  Outside& outside = find_or_add(storage);
  if (!outside.read_by_host.empty()) return;
  outside.read_by_host = read;
  outside.version_by_host = storage->version.load(std::memory_order_acquire);
}

std::string OutsideTensors::host_read_of(const tensor::Storage& storage) const {
  const auto found = index_.find(&storage);
  return found == index_.end() ? std::string() : tensors_[found->second].read_by_host;
}

std::vector<std::string> OutsideTensors::host_reads() const {
  std::vector<std::string> reads;
  for (const Outside& each : tensors_) {
    if (!each.read_by_host.empty()) reads.push_back(each.read_by_host);
  }
  return reads;
}

std::size_t OutsideTensors::count_used() const {
  return static_cast<std::size_t>(std::count_if(
      tensors_.begin(), tensors_.end(), [](const Outside& each) { return !each.op.empty(); }));
}

// A graph that makes a tensor keeps it, and its replays write it: such a tensor is no orphan.
bool OutsideTensors::is_orphan(const Outside& tensor) {
  const tensor::StorageExtras& extras = *tensor.extras;
  return static_cast<std::uint64_t>(tensor.storage.use_count()) <=
             extras.graph_readers.load(std::memory_order_relaxed) &&
         extras.graph_writers.load(std::memory_order_relaxed) == 0;
}

void OutsideTensors::find_constants() {
  for (Outside& each : tensors_) each.is_constant = is_orphan(each);
  // A tensor that the step made, looked at and let go of cannot change any more.
  std::erase_if(tensors_, [](const Outside& each) {
    const bool goes = each.is_constant && each.op.empty();
    if (goes) each.extras->graph_readers.fetch_sub(1);
    return goes;
  });
  index_.clear();
  for (std::size_t i = 0; i < tensors_.size(); ++i) index_.emplace(tensors_[i].storage.get(), i);
}

// Somebody who has its address may change it without a count.
bool OutsideTensors::has_changed_for_host(const Outside& tensor) {
  return !tensor.read_by_host.empty() && !tensor.is_constant &&
         (tensor.storage->is_exposed.load(std::memory_order_acquire) ||
          tensor.storage->version.load(std::memory_order_acquire) != tensor.version_by_host);
}

void OutsideTensors::check(std::uint64_t graph, std::uint64_t replays) const {
  for (const Outside& each : tensors_) {
    const bool is_gone = !each.is_constant && is_orphan(each);
    if (is_gone || (each.is_read && each.storage->uses.has_failed() &&
                    each.storage->uses.has_ended(/*writers_only=*/true))) [[unlikely]]
      refuse(each, graph, replays);
    if (has_changed_for_host(each)) [[unlikely]]
      refuse_changed(each, graph);
  }
}

void OutsideTensors::refuse_changed(const Outside& tensor, std::uint64_t graph) {
  core::raise(
      ErrorCode::kInvalidArgument,
      "[replay] graph {} was captured after {} on the host, which {} since: a replay would "
      "go on with what it was; capture again, or leave what hangs on the value out of the "
      "graph",
      graph, tensor.read_by_host,
      tensor.storage->is_exposed ? "may have changed, through its address," : "has changed");
}

// " (after replay 41, on thread t3 by Module::to())"; empty if nothing is known.
std::string OutsideTensors::end_of(const Outside& tensor, std::uint64_t replays) {
  std::string end = replays > 0 ? fmt::format("after replay {}", replays) : std::string();
  if (const std::uint32_t number = tensor.extras->ended_on.load(std::memory_order_relaxed)) {
    const char* by = tensor.extras->ended_by.load(std::memory_order_relaxed);
    const bool is_here = number == core::thread_number() + 1;
    end += fmt::format("{}on {} {}", end.empty() ? "" : ", ",
                       is_here ? std::string("this thread") : fmt::format("thread t{}", number - 1),
                       by != nullptr ? fmt::format("by {}", by)
                                     : "where its last handle ended, or was set to another tensor");
  }
  return end.empty() ? end : fmt::format(" ({})", end);
}

void OutsideTensors::refuse(const Outside& tensor, std::uint64_t graph, std::uint64_t replays) {
  if (tensor.op.empty()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[replay] graph {} was captured after {} on the host, and nobody has that tensor "
                "any more{}: another one may have taken its place; capture again",
                graph, tensor.read_by_host, end_of(tensor, replays));
  }
  if (const std::shared_ptr<device::Failure> failure = tensor.storage->uses.failure()) {
    throw Error(failure->error.code(),
                fmt::format("[replay] graph {} reads {} in [{}], which has no elements: {}", graph,
                            tensor.name, tensor.op, failure->error.what()),
                failure->error.details());
  }
  core::raise(ErrorCode::kInvalidArgument,
              "[replay] graph {} {} {} in [{}], and nobody has that tensor any more: it was freed "
              "after the capture{}, and a replay would use what is old; keep the tensor and "
              "change it in place (copy_(), fill_()), or capture again",
              graph, tensor.is_read ? "reads" : "writes", tensor.name, tensor.op,
              end_of(tensor, replays));
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
