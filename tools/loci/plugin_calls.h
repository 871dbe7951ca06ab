// Which plugin this process is within, told to people where it is lost to one.
#pragma once

#include <chrono>
#include <memory>

namespace loci::runner {

// While it lives, for the whole process:
//  - a signal that ends it because of what the process did (SIGSEGV, SIGABRT and their like) comes
//    with a line on standard error that names the plugin and the function that the thread was
//    within, or whose kernel or own code was interrupted, if it was within one, and then does what
//    it always does;
//  - SIGINT and SIGTERM say the same of the three threads that have been within a plugin longest,
//    and end the process as they always do, also where a plugin does not come back;
//  - a function that takes longer than patience lasts is told of once, whatever other threads do.
// A handler that is there already, such as a sanitizer's, is left alone. One at a time, for the
// program itself: the handlers of a process are no library's to set.
class PluginCalls {
 public:
  using Patience = std::chrono::milliseconds;

  explicit PluginCalls(Patience patience = std::chrono::seconds(10));
  ~PluginCalls();
  PluginCalls(const PluginCalls&) = delete;
  PluginCalls& operator=(const PluginCalls&) = delete;

 private:
  class Watchdog;
  std::unique_ptr<Watchdog> watchdog_;
};

}  // namespace loci::runner
