#include "framework/reporting/external_range.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/context.h"
#include "framework/core/log.h"
#include "framework/device/device_manager.h"

namespace loci::reporting {
namespace {

struct Backend {
  plugin::Plugin* plugin;
  const loci_profile_source_api* source;
};

struct State {
  static constexpr auto kContextSlot = core::ContextSlot::kExternalRange;

  std::mutex mutex;
  int open = 0;
  std::vector<Backend> told;
};

State& state() { return core::in_context<State>(); }

bool attempt(const Backend& backend, const char* function,
             loci_error* (*call)(loci_plugin* plugin)) {
  loci_error* error = call(backend.plugin->handle());
  if (error == nullptr) return true;
  core::log(core::Module::kProfiler, core::Level::kWarn, "the profile source's {} failed: {}",
            function, core::take_error(error).what());
  return false;
}

// Each once, though several of its devices may be open.
std::vector<Backend> open_backends() {
  std::vector<Backend> backends;
  for (device::Device* device : device::DeviceManager::instance().open_devices()) {
    const loci_profile_source_api* source = device->profile_source();
    const bool has_range = source != nullptr && source->external_range_begin != nullptr &&
                           source->external_range_end != nullptr;
    const bool is_known = std::any_of(
        backends.begin(), backends.end(),
        [device](const Backend& backend) { return backend.plugin == &device->plugin(); });
    if (has_range && !is_known) backends.push_back({&device->plugin(), source});
  }
  return backends;
}

}  // namespace

void begin_external_range(std::string_view name, std::string_view info) {
  const std::lock_guard lock(state().mutex);
  if (state().open > 0) {
    ++state().open;
    return;
  }
  core::log(core::Module::kProfiler, core::Level::kInfo, "Enable GPU Profiler Stat: [{}] \"{}\"",
            name, info);
  state().told.clear();
  for (const Backend& backend : open_backends()) {
    if (attempt(backend, "external_range_begin", backend.source->external_range_begin)) {
      state().told.push_back(backend);
    }
  }
  ++state().open;
}

void end_external_range() noexcept {
  const std::lock_guard lock(state().mutex);
  if (--state().open > 0) return;
  for (const Backend& backend : state().told) {
    attempt(backend, "external_range_end", backend.source->external_range_end);
  }
}

}  // namespace loci::reporting
