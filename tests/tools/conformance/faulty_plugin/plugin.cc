#include "plugin.h"

#include <charconv>
#include <stdexcept>
#include <string>

#include "device.h"
#include "fault.h"
#include "host_device.h"

namespace loci::faulty {
namespace {

loci_error* throwing_alloc(loci_device*, std::uint32_t, std::uint64_t, loci_stream*, void**) {
  throw std::runtime_error("out of mem_alloc");
}

loci_device_api device_api() {
  loci_device_api api = *sdk::device_table<FaultyPlugin, Device>();
  if (has("small_table")) api.struct_size = 64;
  if (has("missing_function")) api.stream_query = nullptr;
  if (has("throws")) api.mem_alloc = throwing_alloc;
  return api;
}

int count_of(const sdk::Options& options, const char* key) {
  const auto found = options.find(key);
  if (found == options.end()) return 0;
  int count = 0;
  const char* end = found->second.data() + found->second.size();
  if (std::from_chars(found->second.data(), end, count).ptr != end || count < 0) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     std::string("[faulty] ") + key + "=" + found->second + "; give a number");
  }
  return has("ignores_setting") ? 0 : count;
}

}  // namespace

FaultyPlugin::FaultyPlugin(const sdk::Host& host, const sdk::Options& options)
    : kernels_(faulty_kernels()) {
  reporters_.add<FaultyPlugin, Reporter>(
      {"rules", "names and how many spans are truncated", "", LOCI_PROFILE_LEVEL_OP, {"plain"}});
  failing_ = {count_of(options, "fail_alloc"), count_of(options, "fail_copy"),
              count_of(options, "fail_task")};
  if (has("leak_error")) {
    host.api().error_make(host.api().host, LOCI_CODE_INTERNAL, sdk::to_abi("nobody's"), nullptr);
  }
}

const void* FaultyPlugin::interface(std::string_view name) {
  static const loci_device_api kDevice =
      works_in_host_memory() ? *sdk::device_table<FaultyPlugin, HostDevice>() : device_api();
  if (name == LOCI_DEVICE_INTERFACE) return &kDevice;
  if (name == LOCI_KERNELS_INTERFACE) return sdk::kernels_table<FaultyPlugin>();
  if (name == LOCI_PROFILE_SOURCE_INTERFACE && !works_in_host_memory()) {
    return sdk::profile_source_table<FaultyPlugin>();
  }
  if (name == LOCI_PROFILE_REPORTER_INTERFACE) return sdk::reporter_table<FaultyPlugin>();
  return has("any_interface") ? &kDevice : nullptr;
}

}  // namespace loci::faulty

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  using loci::faulty::has;
  static loci_plugin_desc desc;
  static std::uint32_t calls = 0;
  desc = *loci::sdk::describe_plugin<loci::faulty::FaultyPlugin>(host);
  if (has("other_id")) desc.id = loci::sdk::to_abi("org.loci.test.stranger");
  if (has("changing_descriptor") && ++calls > 1) desc.version = loci::sdk::to_abi("1.0.1");
  return &desc;
}
