// A device whose plugin was asked by a setting to let a call or a piece of work fail.
#pragma once

#include <memory>

#include "tools/conformance/verify/open_device.h"

namespace loci::verify {

struct FaultyDevice {
  // The n-th of the device. Skips the check if the plugin refuses the setting.
  FaultyDevice(const Target& target, const char* option, int n);

  std::unique_ptr<Instance> instance;
  OpenDevice device;
};

// The check's end where nothing has failed: "the first copy", with the setting at n.
[[noreturn]] void judge_no_error(const Target& target, const char* option, int n, const char* what);

// True if it is refused.
template <class Call>
bool is_refused(Call&& call) {
  try {
    call();
  } catch (const PluginError&) {
    return true;
  }
  return false;
}

}  // namespace loci::verify
