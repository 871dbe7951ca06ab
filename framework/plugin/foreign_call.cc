#include "framework/plugin/foreign_call.h"

#include <atomic>
#include <loci/plugins.hpp>

namespace loci::plugin {
namespace {

thread_local const CallWatch::Function* current_watch = nullptr;
thread_local const std::string* called_plugin = nullptr;
std::atomic<plugins::CallNotice> process_notice{nullptr};

}  // namespace

CallWatch::CallWatch(const Function& told) { current_watch = &told; }

CallWatch::~CallWatch() { current_watch = nullptr; }

CalledPlugin::CalledPlugin(const std::string& id) : outer_(called_plugin) { called_plugin = &id; }

CalledPlugin::~CalledPlugin() {
  called_plugin = outer_;
  if (const plugins::CallNotice notice = process_notice.load()) notice({}, {});
}

void announce_call(std::string_view function) {
  if (current_watch != nullptr) (*current_watch)(function);
  const plugins::CallNotice notice = process_notice.load();
  if (notice != nullptr && called_plugin != nullptr) notice(*called_plugin, function);
}

}  // namespace loci::plugin

namespace loci {
inline namespace v0 {
namespace plugins {

void watch_calls(CallNotice notice) { plugin::process_notice = notice; }

}  // namespace plugins
}  // namespace v0
}  // namespace loci
