#include "framework/device_graph/capturer.h"

#include <fmt/format.h>

#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/log.h"
#include "framework/device/device_manager.h"
#include "framework/plugin/foreign_call.h"
#include "framework/plugin/plugin_manager.h"

namespace loci::device_graph {
namespace {

loci_error* native_handle(void* context, loci_stream* stream, loci_str name, void** out_handle) {
  const auto& device = *static_cast<device::Device*>(context);
  *out_handle = nullptr;
  if (device.api().native_handle == nullptr) return nullptr;
  return device.api().native_handle(device.handle(), stream, name, out_handle);
}

}  // namespace

Capturer::Capturer(const CapturerLibrary& library, device::Device& device)
    : library_(library), device_(device) {
  const loci_native_handles handles{sizeof handles, 0, &device, &native_handle};
  loci_error* error = plugin::blaming(plugin(), [&] {
    return plugin::call_plugin("open", [&] {
      return api().open(plugin().handle(), static_cast<std::uint32_t>(device.place().index()),
                        &handles, &handle_);
    });
  });
  if (error != nullptr) throw core::take_error(error);
  plugin().retain();
  device.begin_use();
}

Capturer::~Capturer() {
  if (device_.is_out_of_reach()) return;
  stream_.reset();
  body_streams_.clear();
  api().close(handle_);
  plugin().release();
  device_.end_use();
}

loci_stream* Capturer::stream() {
  if (stream_ == nullptr) stream_ = std::make_unique<device::Stream>(device_);
  return stream_->handle();
}

loci_stream* Capturer::open_body() {
  if (open_bodies_ == body_streams_.size()) {
    body_streams_.push_back(std::make_unique<device::Stream>(device_));
  }
  return body_streams_[open_bodies_++]->handle();
}

// Devices end after what was made later.
Capturers::Capturers() {
  device::DeviceManager::instance().watch_reopening(
      [this](const device::Device& replaced) { forget(replaced); });
}

void Capturers::forget(const device::Device& device) {
  Found gone;  // closed without the lock
  const std::lock_guard lock(mutex_);
  const auto entry = found_.find(&device);
  if (entry == found_.end()) return;
  gone = std::move(entry->second);
  found_.erase(entry);
}

Capturers::Found Capturers::of(device::Device& device) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = found_.try_emplace(&device);
  if (is_new) entry->second = find(device);
  return entry->second;
}

Capturers::Found Capturers::find(device::Device& device) {
  const std::string& type = device.place().type();
  if (device.is_inline()) {
    return {nullptr, fmt::format("{} does its work at once, and has no graphs of its own",
                                 device.place().to_string())};
  }
  auto& plugins = plugin::PluginManager::instance();
  const std::vector<const CapturerLibrary*> libraries = plugins.brought(kCaptureKind, type);
  if (libraries.empty()) {
    const std::string reasons = plugins.explain_missing(kCaptureKind, type);
    return {nullptr, fmt::format("there is no capturer for {}{}{}", type,
                                 reasons.empty() ? "" : ": ", reasons)};
  }
  const CapturerLibrary* library = libraries.front();
  try {
    return {std::make_shared<Capturer>(*library, device), ""};
  } catch (const Error& error) {
    const bool declines = error.code() == ErrorCode::kUnsupported;
    core::log(core::Module::kCapture, declines ? core::Level::kInfo : core::Level::kWarn,
              "graphs of {} are launched op by op: {} {} it: {}", device.place().to_string(),
              library->plugin->id(), declines ? "declines" : "cannot open", error.what());
    return {
        nullptr,
        fmt::format("{} {} {}: {}", library->plugin->id(), declines ? "declines" : "cannot open",
                    device.place().to_string(), error.what()),
        !declines};
  }
}

}  // namespace loci::device_graph
