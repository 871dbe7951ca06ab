#include "framework/reporting/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/error.hpp>
#include <string>
#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/log.h"
#include "framework/device/device_manager.h"
#include "framework/reporting/peaks.h"

namespace loci::reporting {
namespace {

// About 600 MB of device records; beyond it they are counted.
constexpr std::size_t kMostRecords = 4'000'000;

// What fails costs the session its source, no more.
template <class Call>
bool attempt(profiler::DeviceLog& log, const char* function, Call&& call) {
  loci_error* error = call();
  if (error == nullptr) return true;
  const std::string text = core::take_error(error).what();
  core::log(core::Module::kProfiler, core::Level::kWarn, "the profile source's {} failed: {}",
            function, text);
  log.add_note(
      fmt::format("its {} failed, so that device work may be missing: {}", function, text));
  return false;
}

// Zeros if they are not known.
Peaks peaks_of(const device::Device& device, bool measure) {
  const PeakCache cache(PeakCache::directory_of_user());
  if (const auto found = cache.find(device)) return *found;
  if (!measure) return {};
  try {
    const Peaks peaks = measure_peaks(device.place());
    cache.keep(device, peaks);
    return peaks;
  } catch (const Error& error) {
    core::log(core::Module::kProfiler, core::Level::kInfo, "the peaks of {} are not known: {}",
              device.place().to_string(), error.what());
    return {};
  }
}

}  // namespace

Sources::Sources(bool calls) : calls_(calls) {
  auto& manager = device::DeviceManager::instance();
  manager.watch_opening([this](device::Device& device) { add(device); });
}

Sources::~Sources() { stop(); }

void Sources::stop() {
  device::DeviceManager::instance().watch_opening(nullptr);
  const std::lock_guard lock(mutex_);
  for (Source& source : sources_) {
    if (!std::exchange(source.is_started, false)) continue;
    attempt(*source.log, "stop", [&] { return source.api->stop(source.plugin->handle()); });
  }
}

void Sources::add(device::Device& device) {
  const std::lock_guard lock(mutex_);
  devices_.push_back(&device);
  plugin::Plugin* plugin = &device.plugin();
  const bool is_known =
      std::any_of(sources_.begin(), sources_.end(),
                  [plugin](const Source& known) { return known.plugin == plugin; });
  if (is_known || device.is_inline()) return;
  Source& source = sources_.emplace_back();
  source.plugin = plugin;
  source.api = device.profile_source();
  source.log = std::make_unique<profiler::DeviceLog>(device.place().type(), kMostRecords);
  start(source);
}

void Sources::start(Source& source) {
  if (source.api == nullptr) {
    source.log->add_note("it has no profile source, so that device work is missing");
    return;
  }
  std::uint32_t flags = LOCI_PROFILE_DEVICE_WORK;
  if (calls_) flags |= LOCI_PROFILE_CALLS;
  source.is_started = attempt(*source.log, "start", [&] {
    return source.api->start(source.plugin->handle(), flags, &source.log->sink());
  });
}

void Sources::flush() {
  for (device::Device* device : devices_) {
    try {
      device->synchronize();
    } catch (const Error& error) {
      core::log(core::Module::kProfiler, core::Level::kWarn, "{}", error.what());
    }
  }
  for (Source& source : sources_) {
    if (!source.is_started) continue;
    attempt(*source.log, "flush", [&] { return source.api->flush(source.plugin->handle()); });
  }
}

void Sources::discard() {
  const std::lock_guard lock(mutex_);
  flush();
  for (Source& source : sources_) source.log->drop_records();
}

void Sources::add_to(profiler::Assembly& assembly) {
  const std::lock_guard lock(mutex_);
  flush();
  for (Source& source : sources_) assembly.add_device_log(source.log->take());
}

std::vector<profiler::DeviceFacts> Sources::facts(bool measure) const {
  std::vector<device::Device*> devices;
  {
    const std::lock_guard lock(mutex_);
    devices = devices_;
  }
  std::vector<profiler::DeviceFacts> facts;
  for (const device::Device* device : devices) {
    profiler::DeviceFacts& one = facts.emplace_back();
    one.place = device->place().to_string();
    one.name = device->info().name;
    one.driver = device->info().driver;
    one.is_accelerator = (device->info().flags & LOCI_DEVICE_ACCELERATOR) != 0;
    one.described_flops = device->info().peak_flops;
    one.described_bytes = device->info().peak_bytes;
    one.total_memory = device->info().total_memory;
    const Peaks peaks = peaks_of(*device, measure);
    one.measured_flops = peaks.flops;
    one.measured_bytes = peaks.bytes;
  }
  return facts;
}

}  // namespace loci::reporting
