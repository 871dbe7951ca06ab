// fused_elementwise by a kernel that NVRTC compiles for the chain, where that is found.
#include <algorithm>
#include <array>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/fused_elementwise.hpp>
#include <utility>

#include "device.h"
#include "kernels/fused_elementwise/fused_compiler.h"
#include "kernels/fused_elementwise/fused_source.h"
#include "kernels/fused_elementwise/interpreted_chain.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"

namespace loci::cuda {
namespace {

// A short launch takes as long as one of so many elements, which a large device does at once.
constexpr std::int64_t kElementsOfShortLaunch = 1 << 17;

struct CompiledChain {
  void launch(const sdk::Launch& launch) const {
    const CUfunction function = function_for(launch);
    if (function != nullptr) return launch_own(launch, function);
    kernel->note_interpreted(work);
    interpreted.launch(launch);
  }

  // A graph replays what it captured: so a launch that is captured waits for the compiler, the only
  // one that does.
  [[nodiscard]] CUfunction function_for(const sdk::Launch& launch) const {
    const CUfunction function = kernel->function();
    const bool is_captured = (launch.raw().flags & LOCI_LAUNCH_CAPTURING) != 0;
    return function == nullptr && is_captured ? kernel->wait() : function;
  }

  void launch_own(const sdk::Launch& launch, CUfunction function) const {
    std::array<const void*, kFusedInputs> in{};
    std::array<void*, kFusedOutputs> out{};
    std::array<void*, 2 + 2 * kFusedSteps + kFusedInputs + kFusedOutputs> arguments{};
    auto* next = arguments.data();
    const auto add = [&next](const void* argument) { *next++ = const_cast<void*>(argument); };
    add(&axes.count);
    if (has_axes) add(&axes);
    for (const std::uint64_t& constant : constants) add(&constant);
    for (std::uint32_t i = 0; i < inputs; ++i) {
      in[i] = launch.input<void>(i);
      add(&in[i]);
    }
    for (std::uint32_t i = 0; i < outputs; ++i) {
      out[i] = launch.output<void>(i);
      add(&out[i]);
    }
    KernelFunction(*device, function)
        .enqueue(launch, {(axes.count + lanes - 1) / lanes}, arguments.data());
  }

  Device* device;
  std::shared_ptr<ChainKernel> kernel;
  sdk::PreparedPart interpreted;
  FusedAxes axes;
  std::vector<std::uint64_t> constants;
  bool has_axes;
  int lanes;
  std::int64_t work;  // of a launch
  std::uint32_t inputs;
  std::uint32_t outputs;
};

class CompiledElementwise final : public sdk::Kernel {
 public:
  explicit CompiledElementwise(const sdk::OpDesc& op)
      : expression_(sdk::read_fused_expression(op)), interpreted_(make_interpreted_chain(op)) {}

  void prepare(sdk::Prepare& prepare) const override {
    const FusedProgram program = compile_fused(prepare.op(), expression_);
    if (program.axes.count == 0) {
      throw sdk::Error(LOCI_CODE_UNSUPPORTED, "there is nothing to compute");
    }
    auto& device = sdk::device_of<Device>(prepare.device());
    FusedSource source = write_fused_source(program, expression_);
    auto kernel = device.chains().find(source.name, source.text, source.has_mathematics);
    sdk::PreparedPart interpreted = prepare.part(*interpreted_);
    const std::int64_t elements = std::max(program.axes.count, kElementsOfShortLaunch);
    prepare.set_memory(sizeof(CompiledChain) + sizeof program + source.text.size());
    prepare.emplace<CompiledChain>(&device, std::move(kernel), std::move(interpreted), program.axes,
                                   std::move(source.constants), source.has_axes, source.lanes,
                                   elements * program.step_count, expression_.inputs,
                                   static_cast<std::uint32_t>(expression_.results.size()));
  }

 private:
  sdk::FusedExpression expression_;
  std::unique_ptr<sdk::Kernel> interpreted_;
};

}  // namespace

void add_compiled_chain(Kernels& kernels) {
  kernels.push_back({"fused_elementwise",
                     "nvrtc",
                     sdk::kAllBits,
                     sdk::make_kernel<CompiledElementwise>,
                     nullptr,
                     {},
                     LOCI_KERNEL_CAPTURABLE});
}

}  // namespace loci::cuda
