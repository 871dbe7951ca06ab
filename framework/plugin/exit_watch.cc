#include "framework/plugin/exit_watch.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace loci::plugin {
namespace {

// Added to and never taken from, so that it can be read without a lock while the process ends.
struct Watched {
  std::string id;
  std::string path;
  Watched* next;
};
std::atomic<Watched*> first_watched{nullptr};
std::atomic<pid_t> watching_process{0};
std::atomic<bool> has_looked{false};

const Watched* find_watched(const char* path) {
  for (const Watched* entry = first_watched.load(); entry != nullptr; entry = entry->next) {
    if (entry->path == path) return entry;
  }
  return nullptr;
}

// For each frame of the stack, the latest call first.
_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* found) {
  int interrupted = 0;
  const auto address = _Unwind_GetIPInfo(context, &interrupted);
  // Code that a signal has interrupted did not call exit(); the signal's handler did.
  if (interrupted != 0) return _URC_END_OF_STACK;
  Dl_info info{};
  // The address is that behind the call.
  if (::dladdr(reinterpret_cast<const void*>(address - 1), &info) == 0) return _URC_NO_REASON;
  const Watched* culprit = info.dli_fname == nullptr ? nullptr : find_watched(info.dli_fname);
  if (culprit == nullptr) return _URC_NO_REASON;
  *static_cast<const Watched**>(found) = culprit;
  return _URC_END_OF_STACK;
}

void write_line(const std::string& line) {
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t count = ::write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

void watch_exits(const std::string& id, const std::string& path) {
  if (find_watched(path.c_str()) == nullptr) {
    auto* entry = new Watched{id, path, first_watched.load()};
    while (!first_watched.compare_exchange_weak(entry->next, entry)) {
    }
  }
  watching_process = ::getpid();
  std::atexit(end_if_a_plugin_exits);
  std::at_quick_exit(end_if_a_plugin_exits);
}

void end_if_a_plugin_exits() noexcept {
  // A process that a plugin has forked is its own.
  if (watching_process.load() != ::getpid() || has_looked.exchange(true)) return;
  const Watched* culprit = nullptr;
  _Unwind_Backtrace(look_at_frame, &culprit);
  if (culprit == nullptr) return;
  try {
    write_line(
        fmt::format("loci: error: [plugin] {} ended this process: its library '{}' called exit(); "
                    "report it to the plugin's author, or leave the plugin out by its id\n",
                    culprit->id, culprit->path));
  } catch (...) {  // without memory for the line there is still the status
  }
  // Nothing else may run: the call has left locks taken and work half done.
  ::_exit(kPluginExitStatus);
}

}  // namespace loci::plugin
