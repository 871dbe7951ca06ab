#include "plugins/reporter_nvtx/nvtx_tool.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace loci::report {
namespace {

// The interface between NVTX v3 and a tool, as c/include/nvtx3/nvtxDetail/nvtxTypes.h of
// github.com/NVIDIA/NVTX states it. Tables hold addresses of function pointers, which the tool
// sets; one that it leaves alone is a call nobody listens to.
using Function = void (*)();
enum Module : int { kModuleCore = 1, kModuleCore2 = 5 };
constexpr std::uint32_t kExportCallbacks = 1;
constexpr std::uint32_t kExportVersionInfo = 3;
constexpr std::size_t kCoreRangePushA = 9;
constexpr std::size_t kCoreRangePop = 11;
constexpr std::size_t kCoreSize = 16;
constexpr std::size_t kCore2Size = 16;
constexpr std::uint32_t kNvtxVersion = 3;

struct ExportCallbacks {
  std::size_t struct_size;
  int (*module_function_table)(int module, Function*** out_table, unsigned* out_size);
};
struct ExportVersionInfo {
  std::size_t struct_size;
  std::uint32_t version;
  std::uint32_t reserved;
  void (*set_injection_version)(std::uint32_t version);
};
using ExportTable = const void* (*)(std::uint32_t id);
using Initialize = int (*)(ExportTable export_table);

// The tool writes into these. One more entry than there are, NULL, ends each table.
std::array<Function, kCoreSize> core_functions{};
std::array<Function, kCore2Size> core2_functions{};
std::array<Function*, kCoreSize + 1> core_table{};
std::array<Function*, kCore2Size + 1> core2_table{};

template <std::size_t N>
void connect(std::array<Function, N>& functions, std::array<Function*, N + 1>& table) {
  functions.fill(nullptr);
  for (std::size_t i = 1; i < N; ++i) table[i] = &functions[i];
}

int module_function_table(int module, Function*** out_table, unsigned* out_size) {
  Function** table = nullptr;
  std::size_t size = 0;
  if (module == kModuleCore) {
    table = core_table.data();
    size = kCoreSize;
  } else if (module == kModuleCore2) {
    table = core2_table.data();
    size = kCore2Size;
  } else {
    return 0;
  }
  if (out_table != nullptr) *out_table = table;
  if (out_size != nullptr) *out_size = static_cast<unsigned>(size);
  return 1;
}

void ignore_injection_version(std::uint32_t) {}

const void* export_table(std::uint32_t id) {
  static constexpr ExportCallbacks kCallbacks{sizeof(ExportCallbacks), &module_function_table};
  static constexpr ExportVersionInfo kVersion{sizeof(ExportVersionInfo), kNvtxVersion, 0,
                                              &ignore_injection_version};
  if (id == kExportCallbacks) return &kCallbacks;
  return id == kExportVersionInfo ? &kVersion : nullptr;
}

std::string last_loader_error() {
  const char* message = dlerror();
  return message == nullptr ? "no reason given" : message;
}

NvtxTool attach(const char* path) {
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    return {nullptr, nullptr,
            fmt::format("no tool: NVTX_INJECTION64_PATH: {}", last_loader_error())};
  }
  const auto initialize = reinterpret_cast<Initialize>(dlsym(library, "InitializeInjectionNvtx2"));
  if (initialize == nullptr) {
    dlclose(library);
    return {nullptr, nullptr, fmt::format("no tool: {} has no InitializeInjectionNvtx2", path)};
  }
  connect(core_functions, core_table);
  connect(core2_functions, core2_table);
  if (initialize(&export_table) == 0) {
    dlclose(library);
    return {nullptr, nullptr, fmt::format("no tool: {} refused to start", path)};
  }
  NvtxTool tool{reinterpret_cast<int (*)(const char*)>(core_functions[kCoreRangePushA]),
                reinterpret_cast<int (*)()>(core_functions[kCoreRangePop]), path};
  if (tool.push == nullptr || tool.pop == nullptr) {
    return {nullptr, nullptr, fmt::format("{} does not listen to ranges", path)};
  }
  return tool;
}

NvtxTool link_tools_ext() {
  void* library = dlopen("libnvToolsExt.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    return {nullptr, nullptr,
            "no tool: NVTX_INJECTION64_PATH is not set, and there is no libnvToolsExt.so.1"};
  }
  NvtxTool tool{reinterpret_cast<int (*)(const char*)>(dlsym(library, "nvtxRangePushA")),
                reinterpret_cast<int (*)()>(dlsym(library, "nvtxRangePop")), "libnvToolsExt.so.1"};
  if (tool.push == nullptr || tool.pop == nullptr) {
    return {nullptr, nullptr, "no tool: libnvToolsExt.so.1 lacks nvtxRangePushA or nvtxRangePop"};
  }
  return tool;
}

}  // namespace

NvtxTool find_nvtx_tool() {
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  return path == nullptr || *path == '\0' ? link_tools_ext() : attach(path);
}

const NvtxTool& nvtx_tool() {
  static const NvtxTool kTool = find_nvtx_tool();
  return kTool;
}

}  // namespace loci::report
