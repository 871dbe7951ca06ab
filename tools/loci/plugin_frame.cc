#include "tools/loci/plugin_frame.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <array>

namespace loci::runner {
namespace {

constexpr int kMostFrames = 64;

std::string_view file_name(const char* path) {
  const std::string_view text = path == nullptr ? "" : path;
  return text.substr(text.rfind('/') + 1);
}

// "loci-cpu.so", as the search for plugins wants them.
bool is_plugin(std::string_view file) {
  return file.substr(0, 5) == "loci-" && file.size() > 8 && file.substr(file.size() - 3) == ".so";
}

bool is_ours(std::string_view file, std::string_view own) {
  return file == own || file.substr(0, 7) == "libloci";
}

std::string_view file_of(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) == 0 ? std::string_view() : file_name(info.dli_fname);
}

}  // namespace

void prepare_plugin_frame() {
  std::array<void*, 2> frames{};
  (void)::backtrace(frames.data(), static_cast<int>(frames.size()));  // loads the unwinder
}

std::string_view find_plugin_frame() {
  std::array<void*, kMostFrames> frames{};
  const int count = ::backtrace(frames.data(), kMostFrames);
  const std::string_view own = file_of(reinterpret_cast<const void*>(&find_plugin_frame));
  int i = 0;
  while (i < count && file_of(frames[static_cast<std::size_t>(i)]) == own) ++i;  // the handler
  for (; i < count; ++i) {
    const std::string_view file = file_of(frames[static_cast<std::size_t>(i)]);
    if (is_plugin(file)) return file;
    if (is_ours(file, own)) return {};
  }
  return {};
}

}  // namespace loci::runner
