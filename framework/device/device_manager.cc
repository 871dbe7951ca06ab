#include "framework/device/device_manager.h"

#include <fmt/ranges.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>

#include "framework/core/listed.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/device/backend_tables.h"
#include "framework/device/call_name.h"
#include "framework/device/device_count.h"
#include "framework/plugin/foreign_call.h"
#include "framework/plugin/plugin_manager.h"

namespace loci::device {
namespace {

constexpr std::string_view kAnyAccelerator = "gpu";
constexpr std::string_view kPreferredAccelerator = "cuda";
constexpr std::size_t kMostPlacesNamed = 20;  // a machine's own; a plugin may count thousands

std::atomic<std::uint64_t> reopening_count{0};

class PluginSource : public BackendSource {
 public:
  explicit PluginSource(plugin::PluginManager& plugins) : plugins_(&plugins) {}
  std::vector<std::string> device_types() override { return plugins_->declared(kBackendKind); }
  std::vector<const device::DeviceBackend*> backends(std::string_view device_type) override {
    return device::backends(*plugins_, device_type);
  }
  std::string explain_missing(std::string_view device_type) override {
    return plugins_->explain_missing(kBackendKind, device_type);
  }

 private:
  plugin::PluginManager* plugins_;
};

std::uint32_t count_of(const device::DeviceBackend& backend) {
  return plugin::blaming(*backend.plugin, [&] { return device::count_devices(backend); });
}

bool is_accelerator(const device::DeviceBackend& backend) {
  loci_device_info info{};
  info.struct_size = sizeof info;
  plugin::blaming(*backend.plugin, [&] {
    plugin::call_plugin_checked(device::call_name("describe", Place(backend.device_type, 0)), [&] {
      return backend.api.describe(backend.plugin->handle(), 0, &info);
    });
  });
  return (info.flags & LOCI_DEVICE_ACCELERATOR) != 0;
}

}  // namespace

// Opening happens under the mutex, which also serialises it as the ABI asks for.
class DeviceManager::Impl {
 public:
  // In the child of a fork the devices of its parent cannot be closed, nor ever one that hangs.
  ~Impl() {
    for (auto& entry : devices_) leave_if_out_of_reach(entry.second);
    for (std::unique_ptr<Device>& device : replaced_) leave_if_out_of_reach(device);
  }

  void add_source(std::unique_ptr<BackendSource> source) {
    const std::lock_guard lock(mutex_);
    sources_.insert(sources_.begin(), std::move(source));
  }

  Device& get(const Place& place) {
    const std::lock_guard lock(mutex_);
    Device& device = open(resolved(place));
    if (device.loss().is_lost()) device.loss().refuse(device.place());
    return device;
  }

  std::string loss(const Place& place) {
    const std::lock_guard lock(mutex_);
    const Place asked = resolved(place);
    const auto found = devices_.find({asked.type(), asked.index()});
    if (found == devices_.end() || !found->second->loss().is_lost()) return {};
    const std::string by = found->second->loss().by();
    return by.empty() ? "its plugin said so" : by;
  }

  void reopen(const Place& place) {
    Device* old = replace(place);
    if (old == nullptr) return;
    ++reopening_count;
    for (const auto& watch : watchers()) watch(*old);
    old->release_kept_memory();
  }

  void watch_reopening(std::function<void(Device&)> replaced) {
    const std::lock_guard lock(mutex_);
    watchers_.push_back(std::move(replaced));
  }

  void watch_opening(std::function<void(Device&)> opened) {
    const std::lock_guard lock(mutex_);
    opened_ = std::move(opened);
    if (!opened_) return;
    for (const auto& entry : devices_) opened_(*entry.second);
  }

  std::vector<Device*> open_devices() {
    const std::lock_guard lock(mutex_);
    std::vector<Device*> devices;
    for (const auto& entry : devices_) {
      if (!entry.second->loss().is_lost()) devices.push_back(entry.second.get());
    }
    return devices;
  }

  std::string best_accelerator_type() {
    const std::lock_guard lock(mutex_);
    return best_accelerator();
  }

  std::uint32_t count(std::string_view type) {
    const std::lock_guard lock(mutex_);
    if (type != kAnyAccelerator) return count_type(type);
    const std::optional<std::string> accelerator = find_accelerator();
    return accelerator ? count_type(*accelerator) : 0;
  }

  std::vector<Place> places() {
    const std::lock_guard lock(mutex_);
    return present_devices();
  }

  // Around fork(): no device is being opened meanwhile, and the child has those of its parent.
  void prepare_fork() { mutex_.lock(); }
  void resume_parent() { mutex_.unlock(); }
  void resume_child() {
    for (const auto& entry : devices_) entry.second->leave_to_parent();
    for (const auto& device : replaced_) device->leave_to_parent();
    mutex_.unlock();
  }

 private:
  // Gives the one that was there; null if it is not lost.
  Device* replace(const Place& place) {
    const std::lock_guard lock(mutex_);
    const Place asked = resolved(place);
    const auto found = devices_.find({asked.type(), asked.index()});
    if (found == devices_.end() || !found->second->loss().is_lost()) return nullptr;
    // Those of earlier: no thread is still within a call of them.
    for (std::unique_ptr<Device>& earlier : replaced_) close_if_unused(earlier);
    replaced_.erase(std::remove(replaced_.begin(), replaced_.end(), nullptr), replaced_.end());
    auto fresh = std::make_unique<Device>(found->second->backend(), found->second->place());
    replaced_.push_back(std::move(found->second));
    found->second = std::move(fresh);
    if (opened_) opened_(*found->second);
    return replaced_.back().get();
  }

  void close_if_unused(std::unique_ptr<Device>& device) {
    if (device->is_out_of_reach()) return;
    device->close_if_unused();
    if (device->is_out_of_reach() && !device->loss().is_hung())
      closed_.push_back(std::move(device));
  }

  std::vector<std::function<void(Device&)>> watchers() {
    const std::lock_guard lock(mutex_);
    return watchers_;
  }

  static void leave_if_out_of_reach(std::unique_ptr<Device>& device) {
    if (device->is_out_of_reach()) static_cast<void>(device.release());
  }

  Place resolved(const Place& place) {
    return place.type() == kAnyAccelerator ? Place(best_accelerator(), place.index()) : place;
  }

  std::uint32_t count_type(std::string_view type) {
    const device::DeviceBackend* backend = best_backend(type);
    return backend == nullptr ? 0 : count_of(*backend);
  }

  Device& open(const Place& place) {
    const std::pair key(place.type(), place.index());
    const auto found = devices_.find(key);
    if (found != devices_.end()) return *found->second;
    const device::DeviceBackend* backend = best_backend(place.type());
    if (backend == nullptr) {
      refuse(fmt::format("no device '{}:{}'", place.type(), place.index()), explain(place.type()),
             place.type());
    }
    if (static_cast<std::uint32_t>(place.index()) >= count_of(*backend)) {
      refuse(fmt::format("no device '{}:{}'{}", place.type(), place.index(), rivals(*backend)),
             explain(place.type()));
    }
    const auto entry = devices_.emplace(key, std::make_unique<Device>(*backend, place)).first;
    try {
      if (opened_) opened_(*entry->second);
    } catch (...) {
      devices_.erase(entry);
      throw;
    }
    return *entry->second;
  }

  const device::DeviceBackend* best_backend(std::string_view type) {
    const device::DeviceBackend* best = nullptr;
    for (const auto& source : sources_) {
      for (const device::DeviceBackend* backend : source->backends(type)) {
        if (best == nullptr || backend->score > best->score) best = backend;
      }
    }
    return best;
  }

  // Says, for a type that several plugins bring, what the others have; one that comes later may
  // have hidden it. Empty if there is no other.
  std::string rivals(const device::DeviceBackend& used) {
    std::vector<std::string> others;
    for (const auto& source : sources_) {
      for (const device::DeviceBackend* other : source->backends(used.device_type)) {
        if (other == &used) continue;
        others.push_back(fmt::format("{}, which brings {} (score {})", other->plugin->id(),
                                     count_or_none(*other), other->score));
      }
    }
    if (others.empty()) return {};
    return fmt::format(
        ": {} brings {} (score {}), and is used before {}; disable it to use another",
        used.plugin->id(), count_or_none(used), used.score, fmt::join(others, " and "));
  }

  // One whose devices cannot be told hides no other; without another it is the reason.
  std::optional<std::string> find_accelerator() {
    const device::DeviceBackend* best = nullptr;
    std::optional<Error> failure;
    for (const std::string& type : types()) {
      const device::DeviceBackend* backend = best_backend(type);
      try {
        if (backend == nullptr || count_of(*backend) == 0 || !is_accelerator(*backend)) continue;
      } catch (const Error& error) {
        if (!failure) failure = error;
        continue;
      }
      if (type == kPreferredAccelerator) return type;
      if (best == nullptr || backend->score > best->score) best = backend;
    }
    if (best != nullptr) return best->device_type;
    if (failure) throw *failure;
    return std::nullopt;
  }

  std::string best_accelerator() {
    if (std::optional<std::string> found = find_accelerator()) {
      tell_choice(*found);
      return *std::move(found);
    }
    refuse("no accelerator for 'gpu'", explain_all());
  }

  // Whoever asks for "gpu" most often means a graphics processor, so that another choice is no
  // silent one. Once, until it is another.
  void tell_choice(const std::string& type) {
    if (type == told_choice_) return;
    told_choice_ = type;
    if (type == kPreferredAccelerator) return;
    core::log(
        core::Module::kDevice, core::Level::kWarn,
        "'{}' is '{}' here, because there is no '{}' ({}); name the device type that is meant",
        kAnyAccelerator, type, kPreferredAccelerator, why_not_preferred());
  }

  // In one line.
  std::string why_not_preferred() {
    try {
      if (best_backend(kPreferredAccelerator) != nullptr) (void)count_type(kPreferredAccelerator);
    } catch (const Error& error) {
      return error.what();
    }
    std::istringstream lines(explain(kPreferredAccelerator));
    std::vector<std::string> reasons;
    for (std::string line; std::getline(lines, line);) reasons.push_back(line);
    return reasons.empty() ? "no plugin brings one" : fmt::format("{}", fmt::join(reasons, "; "));
  }

  std::vector<std::string> types() {
    std::vector<std::string> all;
    for (const auto& source : sources_) {
      for (std::string& type : source->device_types()) {
        if (std::find(all.begin(), all.end(), type) == all.end()) all.push_back(std::move(type));
      }
    }
    return all;
  }

  std::string explain(std::string_view type) {
    std::string reasons;
    for (const auto& source : sources_) {
      std::string lines = source->explain_missing(type);
      if (!lines.empty() && lines.back() != '\n') lines += '\n';
      reasons += lines;
    }
    return reasons;
  }

  // Explains every type; a line that concerns no type in particular is said only once.
  std::string explain_all() {
    std::vector<std::string> asked = types();
    asked.emplace_back(kAnyAccelerator);
    std::string reasons;
    for (const std::string& type : asked) {
      std::istringstream lines(explain(type));
      for (std::string line; std::getline(lines, line);) {
        line += '\n';
        if (reasons.find(line) == std::string::npos) reasons += line;
      }
    }
    return reasons;
  }

  std::vector<Place> present_devices() {
    std::vector<Place> present;
    for (const std::string& type : types()) {
      const std::uint32_t count = count_type(type);
      for (std::uint32_t index = 0; index < count; ++index) {
        present.emplace_back(type, static_cast<int>(index));
      }
    }
    return present;
  }

  // For a message about another device, to which one that cannot be counted is no matter. Those of
  // `absent` were not there a moment ago, for which the message has the reason.
  std::string present_names(const std::string& absent) {
    std::vector<std::string> names;
    for (const std::string& type : types()) {
      if (type == absent) continue;
      const std::uint32_t count = count_or_none(type);
      for (std::uint32_t index = 0; index < count; ++index) {
        names.push_back(Place(type, static_cast<int>(index)).to_string());
      }
    }
    if (names.empty()) return "none, because no plugin brings one";
    return core::listed(names, kMostPlacesNamed);
  }

  static std::uint32_t count_or_none(const device::DeviceBackend& backend) {
    try {
      return count_of(backend);
    } catch (const Error&) {
      return 0;
    }
  }

  std::uint32_t count_or_none(const std::string& type) {
    try {
      return count_type(type);
    } catch (const Error&) {
      return 0;
    }
  }

  [[noreturn]] void refuse(const std::string& what, std::string reasons,
                           const std::string& absent = {}) {
    if (!reasons.empty() && reasons.back() == '\n') reasons.pop_back();
    throw Error(ErrorCode::kUnavailable,
                fmt::format("[device] there is {}; there are {}", what, present_names(absent)),
                std::move(reasons));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<BackendSource>> sources_;
  std::string told_choice_;  // what "gpu" was last
  std::function<void(Device&)> opened_;
  std::vector<std::function<void(Device&)>> watchers_;  // of reopening
  std::map<std::pair<std::string, int>, std::unique_ptr<Device>> devices_;
  std::vector<std::unique_ptr<Device>> replaced_;  // lost, and opened anew since
  // The remains of replaced devices: each answers whoever still refers to it, until the end.
  std::vector<std::unique_ptr<Device>> closed_;
};

namespace {

// Those whose locks are taken, by the thread that forks.
std::vector<std::shared_ptr<core::Context>>& forking() {
  static auto& contexts = *new std::vector<std::shared_ptr<core::Context>>();
  return contexts;
}

}  // namespace

void DeviceManager::prepare_fork() {
  for (std::shared_ptr<core::Context>& context : core::live_contexts()) {
    auto* manager = context->find<DeviceManager>();
    if (manager == nullptr) continue;
    manager->impl_->prepare_fork();
    forking().push_back(std::move(context));
  }
}

void DeviceManager::resume_parent() {
  for (const auto& context : forking()) context->find<DeviceManager>()->impl_->resume_parent();
  forking().clear();
}

void DeviceManager::resume_child() {
  for (const auto& context : forking()) context->find<DeviceManager>()->impl_->resume_child();
  forking().clear();
}

void DeviceManager::watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] {
    (void)core::live_contexts();  // whose own handlers come first
    pthread_atfork(&DeviceManager::prepare_fork, &DeviceManager::resume_parent,
                   &DeviceManager::resume_child);
  });
}

DeviceManager::DeviceManager() : DeviceManager(plugin::PluginManager::instance()) { watch_forks(); }

DeviceManager::DeviceManager(plugin::PluginManager& plugins)
    : DeviceManager(std::make_unique<PluginSource>(plugins)) {}

DeviceManager::DeviceManager(std::unique_ptr<BackendSource> source)
    : impl_(std::make_unique<Impl>()) {
  impl_->add_source(std::move(source));
}

DeviceManager::~DeviceManager() = default;

Device& DeviceManager::get(const Place& place) { return impl_->get(place); }

std::string DeviceManager::loss(const Place& place) { return impl_->loss(place); }

void DeviceManager::reopen(const Place& place) { impl_->reopen(place); }
std::uint64_t DeviceManager::reopenings() noexcept { return reopening_count.load(); }

void DeviceManager::watch_reopening(std::function<void(Device&)> replaced) {
  impl_->watch_reopening(std::move(replaced));
}

void DeviceManager::watch_opening(std::function<void(Device&)> opened) {
  impl_->watch_opening(std::move(opened));
}

std::vector<Device*> DeviceManager::open_devices() { return impl_->open_devices(); }

void DeviceManager::add_source(std::unique_ptr<BackendSource> source) {
  impl_->add_source(std::move(source));
}

Place DeviceManager::resolve(const Place& place, const Place& preferred) {
  const std::string type =
      place.type() == kAnyAccelerator ? impl_->best_accelerator_type() : place.type();
  if (place.has_index()) return {type, place.index()};
  return {type, preferred.type() == type ? preferred.index() : 0};
}

std::uint32_t DeviceManager::count(std::string_view type) { return impl_->count(type); }

std::vector<Place> DeviceManager::places() { return impl_->places(); }

}  // namespace loci::device
