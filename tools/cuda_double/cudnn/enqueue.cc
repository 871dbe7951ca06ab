#include "tools/cuda_double/cudnn/enqueue.h"

#include <fmt/format.h>

#include <algorithm>

namespace loci::cudnn_double {
namespace {

constexpr std::uint64_t kOperandAlignment = 16;
constexpr std::uint64_t kWorkspaceAlignment = 256;

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

std::uint64_t checked(const char* name, const void* pointer) {
  require(pointer != nullptr, fmt::format("{} has no address", name));
  require(address(pointer) % kOperandAlignment == 0,
          fmt::format("{} lies at an address that is no multiple of {}", name, kOperandAlignment),
          kMisalignedPointer);
  return address(pointer);
}

float factor(const void* from) {
  require(from != nullptr, "a factor is missing");
  return *static_cast<const float*>(from);
}

void check_workspace(std::size_t needed, const Operands& operands) {
  if (needed == 0) return;
  const std::size_t bytes = operands.workspace == nullptr ? 0 : operands.workspace_bytes;
  require(bytes >= needed,
          fmt::format("the workspace has {} bytes, and the algorithm needs {}", bytes, needed),
          kSizeInsufficient);
  require(address(operands.workspace) % kWorkspaceAlignment == 0,
          fmt::format("the workspace is not aligned to {} bytes", kWorkspaceAlignment),
          kMisalignedPointer);
}

void set_operands(ConvolveCall& call, const Problem& problem, const Operands& operands) {
  if (problem.pass != Pass::kImageGrad) call.image = checked("the image", operands.image);
  if (problem.pass != Pass::kFilterGrad) call.filter = checked("the filter", operands.filter);
  if (problem.pass != Pass::kForward) call.result = checked("the result", operands.result);
  call.out = checked("what is computed", operands.out);
  call.workspace = address(operands.workspace);
}

// Refuses what the library does: with no activation it takes one algorithm.
void set_ending(ConvolveCall& call, int algorithm, const Ending& ending) {
  require_supported(
      ending.activation == kIdentity || ending.activation == kRelu,
      fmt::format("there is no activation {} behind convolutions", ending.activation));
  require_supported(ending.activation == kRelu || algorithm == kForwardPrecomputedGemm,
                    fmt::format("algorithm {} adds no bias without an activation", algorithm));
  call.residual_factor = call.beta;
  call.beta = 0;
  call.residual = checked("the residual", ending.residual);
  call.bias = checked("the bias", ending.bias);
  call.is_relu = ending.activation == kRelu ? 1 : 0;
}

const char* suffix(int type) {
  if (type == kHalf) return "f16";
  return type == kBfloat16 ? "bf16" : "f32";
}

void launch(const Handle::Use& handle, const std::string& name, std::int64_t items,
            ConvolveCall& call) {
  constexpr std::int64_t kThreads = 128;
  constexpr std::int64_t kMostBlocks = 1024;
  const auto blocks =
      static_cast<unsigned>(std::min((items + kThreads - 1) / kThreads, kMostBlocks));
  void* parameters[] = {&call};
  if (cuLaunchKernel(handle.get().function(name), blocks, 1, 1, kThreads, 1, 1, 0, handle.stream(),
                     parameters, nullptr) != CUDA_SUCCESS) {
    throw Refusal(kExecutionFailedDriver, "the driver does not launch " + name);
  }
}

}  // namespace

void enqueue_convolution(const Handle::Use& handle, const Problem& problem, int algorithm,
                         const Operands& operands, const Ending* ending) {
  ConvolveCall call = problem.call();
  call.parts = parts_of(problem, algorithm);
  check_workspace(workspace_of(problem, algorithm), operands);
  set_operands(call, problem, operands);
  call.alpha = factor(operands.alpha);
  call.beta = factor(operands.beta);
  if (ending != nullptr) set_ending(call, algorithm, *ending);
  const std::string type = suffix(problem.image.type);
  launch(handle, "convolve_" + type, call.parts * call.results, call);
  if (call.parts > 1) launch(handle, "add_parts_" + type, call.results, call);
}

}  // namespace loci::cudnn_double
