#include "plugins/reporter_classic/copy_name.h"

#include <fmt/format.h>

#include <loci/plugin/reporter.hpp>

namespace loci::classic {
namespace {

constexpr std::string_view kHost = "cpu";

std::string_view type_of(std::string_view place) { return place.substr(0, place.find(':')); }

std::string_view index_of(std::string_view place) {
  const std::size_t colon = place.find(':');
  return colon == std::string_view::npos ? "0" : place.substr(colon + 1);
}

bool same_place(std::string_view one, std::string_view other) {
  return type_of(one) == type_of(other) && index_of(one) == index_of(other);
}

}  // namespace

bool is_accelerator(const loci_profile& profile, std::string_view place) {
  if (place.empty()) return false;
  for (const loci_profile_device& device : sdk::devices_of(profile)) {
    if (same_place(sdk::to_view(device.place), place)) return device.is_accelerator != 0;
  }
  return type_of(place) != kHost;
}

std::string copy_name(const loci_profile& profile, const loci_profile_label& label, bool waited) {
  const std::string_view source = sdk::to_view(label.source);
  const std::string_view target = sdk::to_view(label.target);
  const bool from_gpu = is_accelerator(profile, source);
  const bool to_gpu = is_accelerator(profile, target);
  if (!from_gpu && !to_gpu) return {};
  const char* kind = waited ? "Sync" : "Async";
  if (from_gpu && to_gpu) {
    return same_place(source, target) ? fmt::format("GpuMemcpy{}(same_gpu):GPU->GPU", kind)
                                      : fmt::format("GpuMemcpyPeer{}:GPU->GPU", kind);
  }
  return fmt::format("GpuMemcpy{}:{}", kind, from_gpu ? "GPU->CPU" : "CPU->GPU");
}

std::string place_name(const loci_profile& profile, std::string_view place) {
  if (!is_accelerator(profile, place)) return "CPUPlace";
  return fmt::format("{}Place({})", type_of(place) == "cuda" ? "CUDA" : "GPU", index_of(place));
}

}  // namespace loci::classic
