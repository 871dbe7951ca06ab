#include "framework/reporting/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <loci/error.hpp>
#include <optional>
#include <string>
#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/log.h"
#include "framework/device/device_manager.h"
#include "framework/reporting/known_peaks.h"
#include "framework/reporting/peak_cache.h"
#include "framework/reporting/peaks.h"

namespace loci::reporting {
namespace {

// A backend says so in the name, as it has no other words for it.
bool is_emulated(const profiler::DeviceFacts& device) {
  return device.name.find("(emulated)") != std::string::npos;
}

// About 600 MB of device records; beyond it they are counted.
constexpr std::size_t kMostRecords = 4'000'000;

// Calls a function of a source; an error costs the session that source, no more.
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

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

profiler::DeviceFacts describe(const device::Device& device) {
  profiler::DeviceFacts facts{device.place().to_string()};
  facts.name = device.info().name;
  facts.driver = device.info().driver;
  facts.is_accelerator = device.is_accelerator();
  facts.is_queued = !device.is_inline();
  facts.described_flops = device.info().peak_flops;
  facts.described_bytes = device.info().peak_bytes;
  facts.total_memory = device.info().total_memory;
  return facts;
}

}  // namespace

Sources::Sources(bool calls) : calls_(calls) {
  auto& manager = device::DeviceManager::instance();
  manager.watch_opening([this](device::Device& device) { add(device); });
}

Sources::~Sources() { stop(); }

void Sources::stop() {
  device::DeviceManager::instance().watch_opening(nullptr);
  device::remove_work_timer(*events_);
  const std::lock_guard lock(mutex_);
  for (Source& source : sources_) {
    if (!std::exchange(source.is_started, false)) continue;
    attempt(*source.log, "stop", [&] { return source.api->stop(source.plugin->handle()); });
  }
}

// All of it or nothing: a device is not opened where that fails.
void Sources::add(device::Device& device) {
  const std::lock_guard lock(mutex_);
  devices_.reserve(devices_.size() + 1);
  plugin::Plugin* plugin = &device.plugin();
  const auto of_plugin = [&] {
    return std::find_if(sources_.begin(), sources_.end(),
                        [plugin](const Source& known) { return known.plugin == plugin; });
  };
  if (!device.is_inline() && of_plugin() == sources_.end()) {
    sources_.reserve(sources_.size() + 1);
    Source source;
    source.plugin = plugin;
    source.api = device.profile_source();
    source.log = std::make_shared<profiler::DeviceLog>(device.place().type(), kMostRecords);
    start(source);
    sources_.push_back(std::move(source));
  }
  if (!device.is_inline() && of_plugin()->api == nullptr) time_by_events(device, *of_plugin());
  devices_.push_back(&device);
}

void Sources::start(Source& source) {
  if (source.api == nullptr) return;
  std::uint32_t flags = LOCI_PROFILE_DEVICE_WORK;
  if (calls_) flags |= LOCI_PROFILE_CALLS;
  source.is_started = attempt(*source.log, "start", [&] {
    return source.api->start(source.plugin->handle(), flags, &source.log->sink());
  });
}

void Sources::time_by_events(device::Device& device, Source& source) {
  const std::string place = device.place().to_string();
  if (!events_->watch(device, source.log)) {
    source.log->add_note(fmt::format(
        "{} has no profile source and measures no time, so that device work is missing", place));
    return;
  }
  source.log->add_note(
      fmt::format("{} has no profile source: its times are those between events around each launch "
                  "and copy; what captured graphs replay is missing",
                  place));
  device::add_work_timer(events_);
}

void Sources::flush() {
  for (device::Device* device : devices_) {
    try {
      device->synchronize();
    } catch (const Error& error) {
      core::log(core::Module::kProfiler, core::Level::kWarn, "{}", error.what());
    }
  }
  events_->flush();
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

void Sources::add_notes_to(profiler::Assembly& assembly) {
  const std::lock_guard lock(mutex_);
  for (Source& source : sources_) {
    source.log->drop_records();
    assembly.add_device_log(source.log->take());
  }
}

std::vector<profiler::DeviceFacts> Sources::facts(bool measure,
                                                  std::vector<std::string>& notes) const {
  std::vector<device::Device*> devices;
  {
    const std::lock_guard lock(mutex_);
    devices = devices_;
  }
  const KnownPeaks known(PeakCache{PeakCache::directory_of_user()});
  std::vector<profiler::DeviceFacts> facts;
  for (const device::Device* device : devices) {
    profiler::DeviceFacts& one = facts.emplace_back(describe(*device));
    if (is_emulated(one)) {
      notes.push_back(fmt::format("{} is emulated: its times are of no device", one.place));
      continue;  // nor are its rates
    }
    std::string why;
    const std::optional<Peaks> peaks = known.of(*device, measure, unix_seconds(), why);
    if (!why.empty() && !peaks) {
      notes.push_back(
          fmt::format("{}: its peaks are not known, so that no shares of them are "
                      "shown: {}",
                      one.place, why));
    }
    if (!peaks) continue;
    one.measured_flops = peaks->flops;
    one.measured_bytes = peaks->bytes;
    one.levels = peaks->levels;
    const std::string doubt = caveat(*peaks);
    if (!doubt.empty()) notes.push_back(fmt::format("{}: {}", one.place, doubt));
  }
  return facts;
}

}  // namespace loci::reporting
