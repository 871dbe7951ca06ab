// The tool that listens to NVTX ranges, found at run time: nothing of NVIDIA's is linked or needed
// to build.
//
// As NVTX v3's headers do, it loads the library that NVTX_INJECTION64_PATH names and gives it,
// through InitializeInjectionNvtx2, tables into which the tool writes its functions. That is how
// Nsight Systems and Nsight Compute attach. Without the variable it takes libnvToolsExt.so.1, which
// programs built with NVTX v2 and older CUDA have, and which looks for tools itself.
#pragma once

#include <string>

namespace loci::report {

struct NvtxTool {
  // Opens a range of the calling thread; `message` is copied. NULL where no tool listens.
  int (*push)(const char* message) = nullptr;
  // Closes the innermost range of the calling thread. NULL where `push` is.
  int (*pop)() = nullptr;
  // How it was found, or why there is none; for the log.
  std::string finding;
};

// Looks for it on the first call; what was loaded stays until the process ends.
const NvtxTool& nvtx_tool();
// Looks anew. For tests: tools expect to be attached once.
NvtxTool find_nvtx_tool();

}  // namespace loci::report
