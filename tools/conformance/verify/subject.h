// The plugin under test, driven through its C tables without the core.
#pragma once

#include <loci/abi/capture.h>
#include <loci/abi/device.h>
#include <loci/abi/kernels.h>
#include <loci/abi/plugin.h>
#include <loci/abi/profile_reporter.h>
#include <loci/abi/profile_source.h>

#include <loci/plugins.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tools/conformance/verify/process/last_words.h"
#include "tools/conformance/verify/trap_host.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

// The plugin and its device that are to be verified.
struct Target {
  plugins::Candidate manifest;  // of the file, as plugins::inspect() read it
  std::uint32_t index = 0;      // of the device
};

// Calls a function of the plugin. An exception that comes out of it is a failed check.
template <class Call>
auto call_plugin(std::string_view function, Call&& call) {
  note_call(function);
  try {
    return call();
  } catch (const std::exception& error) {
    fail("{} let an exception cross the ABI: {}", function, error.what());
  } catch (...) {
    fail("{} let an exception cross the ABI, which is no std::exception", function);
  }
}
// Calls a function that returns an error. Throws PluginError, its message with the function.
template <class Call>
void call_checked(std::string_view function, Call&& call) {
  loci_error* error = call_plugin(function, std::forward<Call>(call));
  if (error == nullptr) return;
  try {
    TrapHost::check(error);
  } catch (const PluginError& refused) {
    throw PluginError(refused.code(), fmt::format("{} failed with {}: {}", function,
                                                  code_name(refused.code()), refused.what()));
  }
}

// Maps the file for the life of the process; throws CheckFailed if it cannot be mapped or has no
// query function.
loci_plugin_query_fn query_function(const std::string& path);
// Returns what this host tells the plugin about itself.
loci_host_info host_info();
// Calls it. Throws CheckFailed if it returns NULL.
const loci_plugin_desc* query(loci_plugin_query_fn function);

// A plugin, created.
class Instance {
 public:
  // `failing_allocation` as of TrapHost::fail_allocation(), counted from create on.
  explicit Instance(const Target& target, std::map<std::string, std::string> options = {},
                    std::int64_t failing_allocation = 0);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] TrapHost& host() { return host_; }
  [[nodiscard]] loci_plugin* handle() const { return handle_; }
  // The plugin's own table; NULL if it has none of that name.
  const void* interface(std::string_view name, std::uint32_t max_minor);
  // In this host's size: what the plugin's lacks is NULL. Skips the check if there is none, or one
  // that is not complete, which is the matter of the level abi.
  const loci_device_api& device_api();
  const loci_kernels_api& kernels_api();
  const loci_profile_source_api& profile_source_api();
  const loci_profile_reporter_api& reporter_api();
  const loci_capture_api& capture_api();
  // Skips the check if this machine has no such device.
  void require_device(std::uint32_t index);
  std::uint32_t device_count();

  // Calls the plugin's destroy, once.
  void destroy();

 private:
  TrapHost host_;
  loci_plugin_desc desc_;
  loci_plugin* handle_ = nullptr;
  std::unique_ptr<loci_device_api> device_api_;
  std::unique_ptr<loci_kernels_api> kernels_api_;
  std::unique_ptr<loci_profile_source_api> profile_source_api_;
  std::unique_ptr<loci_profile_reporter_api> reporter_api_;
  std::unique_ptr<loci_capture_api> capture_api_;
};

// Fails the check if the plugin still holds something of the host.
void expect_nothing_held(Instance& instance, const char* when);

inline std::string_view view(loci_str text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}
inline loci_str to_abi(std::string_view text) { return {text.data(), text.size()}; }

// The functions that such a table needs and does not have, "open, close". `info` says what kind of
// device it is; NULL while that is not known.
std::string missing_functions(const loci_device_api& api, const loci_device_info* info);
std::string missing_functions(const loci_kernels_api& api);
std::string missing_functions(const loci_capture_api& api);

}  // namespace loci::verify
