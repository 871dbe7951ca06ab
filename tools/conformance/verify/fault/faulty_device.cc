#include "tools/conformance/verify/fault/faulty_device.h"

namespace loci::verify {
namespace {

std::unique_ptr<Instance> make_faulty(const Target& target, const char* option, int n) {
  try {
    const std::map<std::string, std::string> options{{option, std::to_string(n)}};
    return std::make_unique<Instance>(target, options);
  } catch (const PluginError& error) {
    skip("it does not take the setting {}: {}", option, error.what());
  }
}

// Who takes a setting does not take that for a number of calls.
bool takes_setting(const Target& target, const char* option) {
  try {
    const Instance instance(target, {{option, "no-number"}});
  } catch (const PluginError&) {
    return true;
  }
  return false;
}

}  // namespace

FaultyDevice::FaultyDevice(const Target& target, const char* option, int n)
    : instance(make_faulty(target, option, n)), device(*instance, target.index) {
  device.require_streams();
}

[[noreturn]] void judge_no_error(const Target& target, const char* option, int n,
                                 const char* what) {
  if (takes_setting(target, option)) {
    fail("the plugin takes the setting {}, and with it set to {} {} is no error", option, n, what);
  }
  skip("the plugin takes no setting {}: nothing fails", option);
}

}  // namespace loci::verify
