// PTX: what is refused says why, and what is taken runs to an end or to a fault.
#include <loci/error.hpp>
#include <new>

#include "tests/fuzz/fuzz_target.h"
#include "tools/cuda_double/ptx/launch.h"
#include "tools/cuda_double/ptx/ptx_error.h"

namespace loci::fuzz {
namespace {

using cuda_double::DeviceMemory;
using cuda_double::Module;

// Registers and local memory of the launches.
constexpr std::size_t kFixedBytes = std::size_t{512} << 20;

void launch_kernels(const Module& module, DeviceMemory& memory) {
  for (const cuda_double::Function& kernel : module.functions()) {
    const std::vector<std::byte> parameters(kernel.attributes().parameter_bytes);
    cuda_double::LaunchConfig config;
    config.block.x = 32;
    config.parameters = parameters;
    config.instruction_limit = 200;
    config.print = [](std::string_view) {};
    try {
      (void)cuda_double::launch(kernel, config, memory);
    } catch (const cuda_double::KernelFault& fault) {
      demand(!std::string_view(fault.what()).empty(), "a fault without a word");
    }
  }
}

void check(std::string_view text) {
  DeviceMemory memory({.reserved_bytes = std::uint64_t{64} << 20});
  std::shared_ptr<const Module> module;
  const auto load = [&] {
    try {
      module = Module::load(text, memory, {.name = "input.ptx"});
    } catch (const cuda_double::PtxError& error) {
      throw Error(ErrorCode::kDataLoss, error.what());
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::kDataLoss, "[input.ptx:1] the variables find no room");
    }
  };
  if (!accepts({text.size(), "input.ptx", {ErrorCode::kDataLoss}, kFixedBytes}, load)) {
    demand(memory.live().empty(), "a refused module left memory behind");
    return;
  }
  launch_kernels(*module, memory);
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}
