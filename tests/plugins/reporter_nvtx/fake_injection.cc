// A tool as NVTX v3 loads it: takes ranges and writes down what it hears.
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

struct Callbacks {
  std::size_t struct_size;
  int (*get_module_function_table)(int module, void (****out_table)(), unsigned* out_size);
};
struct VersionInfo {
  std::size_t struct_size;
  std::uint32_t version;
  std::uint32_t reserved;
  void (*set_injection_version)(std::uint32_t version);
};

std::string heard;  // NOLINT: the library's one state

int push(const char* message) {
  heard.append("<").append(message);
  return 0;
}

int pop() {
  heard += ">";
  return 0;
}

constexpr int kModuleCore = 1;
constexpr int kModuleCuda = 2;
constexpr unsigned kRangePushA = 9;
constexpr unsigned kRangePop = 11;

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* fake_tool_heard() {
  return heard.c_str();
}

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    const void* (*get_export_table)(std::uint32_t id)) {
  const auto* version = static_cast<const VersionInfo*>(get_export_table(3));
  const auto* callbacks = static_cast<const Callbacks*>(get_export_table(1));
  if (version == nullptr || version->version != 3 || callbacks == nullptr) return 0;
  if (callbacks->struct_size < sizeof(Callbacks) || get_export_table(99) != nullptr) return 0;
  version->set_injection_version(3);

  void (***table)() = nullptr;
  unsigned size = 0;
  if (callbacks->get_module_function_table(kModuleCuda, &table, &size) != 0) return 0;
  if (callbacks->get_module_function_table(kModuleCore, &table, &size) == 0) return 0;
  if (size != 16 || table[0] != nullptr || table[size] != nullptr) return 0;
  *table[kRangePushA] = reinterpret_cast<void (*)()>(&push);
  *table[kRangePop] = reinterpret_cast<void (*)()>(&pop);
  return 1;
}
