#include "tools/loci/devices/device_check.h"

#include <algorithm>
#include <loci/error.hpp>
#include <loci/plugins.hpp>
#include <set>

namespace loci::runner {
namespace {

using Found = std::function<void(const CheckedDevice&)>;

constexpr const char* kAccelerator = "accelerator";
constexpr const char* kHostMemory = "host_memory";
constexpr const char* kQueued = "queued";

std::set<std::string> device_types() {
  std::set<std::string> types;
  for (const plugins::Candidate& candidate : plugins::report()) {
    if (candidate.failed || candidate.disabled) continue;
    types.insert(candidate.device_types.begin(), candidate.device_types.end());
  }
  return types;
}

void check_device(const Place& place, const Found& found) {
  CheckedDevice device;
  device.place = place.to_string();
  try {
    device.properties = device_properties(place);
    device.capturer = inspect::capturer(place);
  } catch (const Error& error) {
    device.error = error.what();
  }
  found(device);
}

void check_type(const std::string& type, const Found& found) {
  int count = 0;
  try {
    count = device_count(type);
  } catch (const Error& error) {
    CheckedDevice device;
    device.place = type;
    device.error = error.what();
    found(device);
  }
  for (int index = 0; index < count; ++index) check_device(Place(type, index), found);
}

nlohmann::ordered_json known_bytes(std::uint64_t bytes) {
  return bytes == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(bytes);
}

nlohmann::ordered_json known_text(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

// The member as it is, or as nothing would be; T is its type.
template <class T>
T member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? T() : found->get<T>();
}

}  // namespace

void check_devices(const Found& found) {
  for (const std::string& type : device_types()) check_type(type, found);
}

std::vector<std::string> capabilities(const DeviceProperties& device) {
  std::vector<std::string> list;
  if (device.is_accelerator) list.emplace_back(kAccelerator);
  if (device.uses_host_memory) list.emplace_back(kHostMemory);
  list.emplace_back(device.is_queued ? kQueued : "inline");
  return list;
}

std::string graphs_text(const CheckedDevice& device) {
  if (!device.error.empty() || !device.properties.is_queued) return "";
  const inspect::Capturer& capturer = device.capturer;
  return capturer.plugin.empty() ? "op by op: " + capturer.reason : "by " + capturer.plugin;
}

nlohmann::ordered_json device_json(const CheckedDevice& device) {
  using Json = nlohmann::ordered_json;
  const DeviceProperties& is = device.properties;
  const bool works = device.error.empty();
  return {{"place", device.place},
          {"name", is.name},
          {"arch", is.arch},
          {"uuid", is.uuid},
          {"driver", is.driver},
          {"plugin", is.plugin},
          {"total_memory_bytes", known_bytes(is.total_memory)},
          {"free_memory_bytes", known_bytes(is.free_memory)},
          {"compute_units", is.compute_units},
          {"operators", is.operators},
          {"capabilities", works ? Json(capabilities(is)) : Json::array()},
          {"capturer", known_text(device.capturer.plugin)},
          {"no_capturer", known_text(device.capturer.reason)},
          {"capturer_failed", device.capturer.has_failed},
          {"error", works ? Json() : Json(device.error)}};
}

CheckedDevice device_of(const nlohmann::json& object) {
  const auto list = member<std::vector<std::string>>(object, "capabilities");
  const auto has = [&list](const char* capability) {
    return std::find(list.begin(), list.end(), capability) != list.end();
  };
  CheckedDevice device;
  device.place = member<std::string>(object, "place");
  device.error = member<std::string>(object, "error");
  device.capturer = {member<std::string>(object, "capturer"),
                     member<std::string>(object, "no_capturer"),
                     member<bool>(object, "capturer_failed")};
  DeviceProperties& is = device.properties;
  is.name = member<std::string>(object, "name");
  is.arch = member<std::string>(object, "arch");
  is.uuid = member<std::string>(object, "uuid");
  is.driver = member<std::string>(object, "driver");
  is.plugin = member<std::string>(object, "plugin");
  is.total_memory = member<std::uint64_t>(object, "total_memory_bytes");
  is.free_memory = member<std::uint64_t>(object, "free_memory_bytes");
  is.compute_units = member<std::uint32_t>(object, "compute_units");
  is.operators = member<std::uint32_t>(object, "operators");
  is.is_accelerator = has(kAccelerator);
  is.uses_host_memory = has(kHostMemory);
  is.is_queued = has(kQueued);
  return device;
}

}  // namespace loci::runner
