// The work of a graph, in order: the launches and copies that each replay hands to a stream.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "framework/capture/program_run.h"
#include "framework/device_graph/graph_items.h"
#include "framework/dispatch/kernel.h"
#include "framework/eager/batch.h"
#include "framework/eager/call_plan.h"
#include "framework/eager/host_function.h"
#include "framework/eager/queue.h"
#include "framework/memory/allocator.h"
#include "framework/profiler/recording.h"
#include "framework/transfer/transfer.h"

namespace loci::capture {

// Everything that a launch needs is written when it is added, so that running touches no map,
// string or allocator. One stream at a time.
class LaunchList final : public device_graph::GraphItems {
 public:
  LaunchList() = default;
  LaunchList(const LaunchList&) = delete;
  LaunchList& operator=(const LaunchList&) = delete;

  // Each gives the item's number. `arguments` have their memory: flat inputs, then outputs, null
  // where one is absent. A plan without a kernel is an item that does nothing.
  std::size_t add_launch(std::shared_ptr<const eager::CallPlan> plan,
                         const tensor::TensorImpl* const* arguments, void* workspace, void* state);
  std::size_t add_launch(const ProgramRun& run, std::size_t instruction);
  std::size_t add_copy(const transfer::End& from, const transfer::End& to, std::uint64_t bytes,
                       const transfer::Labels& labels, transfer::Permit permit);
  std::size_t add_host_function(std::unique_ptr<eager::HostFunction> function, const void* site);
  // The stream of the capture that has the item; they are numbered as they came to it, and 0 is the
  // one in which it began.
  void set_stream(std::size_t item, std::size_t number) {
    origins_[item].stream = static_cast<std::uint32_t>(number);
  }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] std::size_t launches() const { return launches_; }
  [[nodiscard]] std::size_t copies() const { return copies_.size(); }
  [[nodiscard]] std::size_t host_functions() const { return functions_.size(); }
  // True if all of it together is little work, less than to hand it to another thread.
  [[nodiscard]] bool is_small() const {
    return is_small_ && (items_.size() <= kFewItems ||
                         (items_.size() <= kManyItems && view_bytes_ <= kLittleBytes));
  }

  // "[relu] float32[4] at cpu", "copy of 'x', 16 bytes", "host function".
  [[nodiscard]] const std::string& describe(std::size_t item) const { return parts_->parts[item]; }
  // A word for it: "relu", "copy", "host function".
  [[nodiscard]] std::string type(std::size_t item) const override;

  // The items, under the name of the graph.
  void set_name(std::string name) { parts_->name = std::move(name); }
  [[nodiscard]] std::shared_ptr<const eager::BatchParts> parts() const { return parts_; }

  [[nodiscard]] std::size_t stream(std::size_t item) const { return origins_[item].stream; }
  [[nodiscard]] bool is_nothing(std::size_t item) const;

  // Where a replay goes.
  struct Target {
    const device::Device& device;
    eager::Queue& queue;
    loci_stream* stream;
  };
  // True once all items have run, so that none has code that is new.
  [[nodiscard]] bool has_run() const { return noted_ == items_.size(); }
  // Hands the items [first, last) to the stream of the queue, or does them on an inline device, the
  // first one with that correlation. Throws Error with the item.
  void run(std::size_t first, std::size_t last, const Target& target, std::uint64_t correlation);

  // For threads that share the items.
  // Whether the item may be launched by any of them: its memory is what visit_memory() tells.
  [[nodiscard]] bool is_free(std::size_t item) const;
  // A launch's argument, or what it works in, as in device_graph::Address.
  struct Memory {
    std::uint32_t argument = 0;
    const void* data = nullptr;
    std::uint64_t bytes = 0;
    bool is_written = false;
  };
  // Inputs, outputs, then the workspace, of one that is free.
  template <class Visit>
  void visit_memory(std::size_t item, const Visit& visit) const;
  // Another address for such an argument, further on by that; between replays.
  void move(std::size_t item, std::uint32_t argument, std::uint64_t by);
  // One that is free, on any thread; fail() throws what the error stands for.
  [[nodiscard]] loci_error* launch(std::size_t item, const Target& target,
                                   std::uint64_t correlation) noexcept;
  [[noreturn]] void fail(std::size_t item, const Error& error, const device::Device& device) const;

  // For a device graph of items.
  // Why the item cannot be part of one; empty if it can, or does nothing.
  [[nodiscard]] std::string capture_refusal(std::size_t item) const;
  // Issues it into a stream that records. Throws Error with the item.
  void issue_captured(std::size_t item, const device::Device& device,
                      loci_stream* stream) const override;
  // They were launched by one: shows and counts what run() would have.
  void note_captured(std::size_t first, std::size_t last, std::uint64_t correlation);
  void visit_addresses(std::size_t first, std::size_t last,
                       const device_graph::AddressVisitor& visit) const override;

 private:
  using LaunchFn = dispatch::PreparedKernel::LaunchFn;
  static constexpr std::size_t kFewItems = 16;
  static constexpr std::size_t kManyItems = 256;
  static constexpr std::uint64_t kLittleBytes = std::uint64_t{16} << 10;

  struct Item {
    LaunchFn launch = nullptr;  // null: it is another step, whose index stands in `step`
    const loci_prepared* prepared = nullptr;
    loci_launch call{};
    std::uint32_t step = 0;
  };
  // Where an item is from; not used while running.
  struct Origin {
    std::shared_ptr<const eager::CallPlan> plan = nullptr;
    const execution::Plan* program = nullptr;
    std::uint32_t instruction = 0;
    profiler::LabelId label = 0;  // of a program's, once it has been asked for
    std::uint32_t stream = 0;
    std::uint32_t inputs = 0;  // arguments of a launch
    std::uint32_t outputs = 0;
    loci_view* views = nullptr;  // of those, where they are the list's own
  };
  struct Copy {
    transfer::End from;
    transfer::End to;
    std::uint64_t bytes = 0;
    transfer::Labels labels;
    transfer::Permit permit;
  };
  struct Function {
    std::shared_ptr<eager::HostFunction> function;
    const void* site = nullptr;
  };
  // A step that is no launch.
  struct Step {
    enum class Kind : std::uint8_t { kNothing, kCopy, kFunction } kind = Kind::kNothing;
    std::uint32_t index = 0;
  };

  std::size_t add(const Item& item, Origin origin, std::string text);
  std::size_t add_step(Step::Kind kind, std::size_t index, std::string text);
  template <class T>
  T* make_array(std::size_t count);
  void run_item(Item& item, const Target& target, std::uint64_t correlation);
  [[nodiscard]] const dispatch::PreparedKernel* kernel_of(std::size_t item) const;
  void run_items(std::size_t first, std::size_t last, const Target& target,
                 std::uint64_t correlation);
  void run_first(std::size_t first, std::size_t last, const Target& target,
                 std::uint64_t correlation);
  void run_step(const Item& item, const Target& target, std::uint64_t correlation);
  void run_recorded(std::size_t first, std::size_t last, const Target& target,
                    std::uint64_t correlation);
  [[nodiscard]] const Copy* copy_of(const Item& item) const;
  [[nodiscard]] std::string launch_refusal(std::size_t item) const;
  [[noreturn]] void fail(const Item& item, loci_error* error, const device::Device& device) const;
  [[nodiscard]] loci_error* call(Item& item, const Target& target, std::uint64_t correlation);
  [[nodiscard]] loci_error* call_recorded(std::size_t item, const Target& target,
                                          std::uint64_t correlation);
  [[nodiscard]] profiler::LabelId label(std::size_t item);

  std::pmr::monotonic_buffer_resource arguments_;  // views, and pointers to them
  std::vector<Item> items_;
  std::vector<Origin> origins_;  // by item
  std::shared_ptr<eager::BatchParts> parts_ = std::make_shared<eager::BatchParts>();
  std::vector<Step> steps_;
  std::vector<Copy> copies_;
  std::vector<Function> functions_;
  std::size_t launches_ = 0;
  std::uint64_t view_bytes_ = 0;  // of small launches
  std::size_t noted_ = 0;         // items whose kernels are known to have run
  bool is_small_ = true;
};

template <class Visit>
void LaunchList::visit_memory(std::size_t item, const Visit& visit) const {
  if (!is_free(item) || items_[item].launch == nullptr) return;
  const loci_launch& call = items_[item].call;
  const Origin& origin = origins_[item];
  for (std::uint32_t i = 0; i < origin.inputs + origin.outputs; ++i) {
    const bool is_input = i < origin.inputs;
    const loci_view& view = is_input ? *call.inputs[i] : *call.outputs[i - origin.inputs];
    if (view.data != nullptr) visit(Memory{i, view.data, view.bytes, !is_input});
  }
  const std::uint64_t bytes = kernel_of(item)->workspace_bytes();
  if (bytes > 0) visit(Memory{device_graph::Address::kWorkspace, call.workspace, bytes, true});
}

}  // namespace loci::capture
