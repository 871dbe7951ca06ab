// A call of an op on tensors of known types and places: what each further one alike need not find
// out again.
#pragma once

#include <loci/abi/kernels.h>

#include <atomic>
#include <loci/attribute.hpp>
#include <loci/op_call.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/dispatch/bound_op.h"
#include "framework/memory/allocator.h"
#include "framework/ops/infer_context.h"
#include "framework/profiler/recording.h"

namespace loci::eager {

class DecomposedCall;
class GradientScript;
class Queue;

// One flat argument of the ABI's form.
struct PlannedInput {
  ops::TensorType type;
  ops::Residence residence = ops::Residence::kDevice;
  std::int32_t value = -1;  // index among the call's values; -1: absent
  std::uint32_t slot = 0;
  const char* name = "";  // "argmax.x", interned; for tensors without a name
};
struct PlannedOutput {
  ops::TensorType type;
  std::uint64_t bytes = 0;
  bool is_absent = false;
  bool on_host = false;
  std::int32_t updates = -1;  // the flat input whose memory it is
  std::uint32_t slot = 0;
  const char* name = "";  // "argmax.out", interned
};

// Immutable but for what is filled in at its first use. Thread-safe.
struct CallPlan {
  CallPlan();
  ~CallPlan();
  CallPlan(const CallPlan&) = delete;
  CallPlan& operator=(const CallPlan&) = delete;

  const ops::OpSchema* schema = nullptr;
  Attributes attributes;  // complete
  device::Device* device = nullptr;
  // The place asked for, where the device has no kernel and the results go back to it; else null.
  device::Device* asked = nullptr;
  std::string refusals;                         // of its kernels
  mutable std::atomic<bool> has_warned{false};  // of that, or did not need to
  std::vector<PlannedInput> inputs;
  std::vector<PlannedOutput> outputs;
  std::vector<Shape> shapes;                               // that the views point to
  std::vector<loci_view> views;                            // of inputs, then outputs; without data
  std::vector<loci_alias> aliases;                         // that the kernel permits
  std::shared_ptr<const dispatch::PreparedKernel> kernel;  // null: nothing to compute
  std::string kernel_name;
  // Instead of a kernel, where the device has none of the op but those that it consists of.
  std::unique_ptr<const DecomposedCall> decomposition;
  Queue* queue = nullptr;  // the device's default one
  // Where its outputs lie.
  device::Device* space = nullptr;  // null: host memory
  Place space_place;
  memory::Allocator* allocator = nullptr;
  ops::Cost cost;          // zero where the schema has none
  bool is_small = false;   // may run on the calling thread of an inline device
  bool is_plain = false;   // can do so without a task: see direct_call.h
  bool is_direct = false;  // both
  // Some input has to be copied to where it is read, or the results to where they were asked for.
  bool moves = false;
  bool changes_state = false;  // some output is the memory of an input
  std::int32_t bounded = -1;   // the flat output whose extent the kernel writes
  std::int32_t count = -1;     // to this flat output

  // The gradient for inputs and outputs by mask, made when it is first asked for.
  [[nodiscard]] const GradientScript& gradient(std::uint64_t wanted, std::uint64_t given) const;

  // The arguments that gradients of those inputs read, whichever outputs they come from; as in
  // GradientScript.
  struct Needs {
    std::uint64_t wanted = 0;
    std::vector<std::int32_t> reads;
    std::vector<std::int32_t> measures;
  };
  [[nodiscard]] const Needs& needs(std::uint64_t wanted) const;

 private:
  struct Script {
    std::uint64_t wanted;
    std::uint64_t given;
    std::unique_ptr<const GradientScript> script;
  };
  friend profiler::LabelId label_of(const CallPlan& plan);

  mutable std::mutex mutex_;
  mutable std::vector<Script> scripts_;
  mutable std::vector<std::unique_ptr<const Needs>> needs_;
  mutable std::atomic<profiler::LabelId> label_{0};
};

// For the profile; 0 while nothing is recorded.
[[nodiscard]] profiler::LabelId label_of(const CallPlan& plan);

// All that has been said of a call, in the schema's order.
struct CallForm {
  const ops::OpSchema* schema = nullptr;
  Attributes attributes;                                // complete
  std::vector<std::vector<ops::InferArgument>> inputs;  // by slot
  std::vector<std::vector<std::int32_t>> values;        // by slot: index among the call's values
  std::vector<device::Device*> spaces;                  // by value: where it lies; null: the host
};

// The cache for all imperative calls. Thread-safe.
dispatch::KernelCache& kernel_cache();

// Infers outputs, chooses the kernel and prepares it. Throws Error with the op's name.
// Throws what dispatch::bind_op() throws.
std::shared_ptr<const CallPlan> plan_call(CallForm form, const dispatch::PlacementRequest& request);

}  // namespace loci::eager
