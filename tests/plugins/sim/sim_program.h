// Programs on software accelerators, through the core: six devices, random delays, the race checker
// on, and the CPU plugin without oneDNN.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <loci/loci.hpp>
#include <loci/plugins.hpp>
#include <string>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/config.h"
#include "framework/device/device_manager.h"
#include "plugins/sim/handles.h"
#include "tests/support/paths.h"

namespace loci::test {

class SimProgramTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool kDone = (use_plugins(), true);  // the process has them once
    (void)kDone;
  }
  static void use_plugins() {
    core::set_config_value("CPU_ONEDNN", "0");
    core::set_config_value("SIM", "devices=6,race=1,delay_us=100,seed=5");
    plugins::SearchOptions options;
    options.directories = {test::plugin_directory()};
    plugins::configure(options);
  }

  static device::Device& device_at(const char* place) {
    return device::DeviceManager::instance().get(Place(place));
  }
  static void* handle(const char* place, const std::string& name) {
    device::Device& device = device_at(place);
    void* found = nullptr;
    device.check(device.api().native_handle(device.handle(), nullptr, core::to_abi(name), &found),
                 "asking for a handle");
    return found;
  }
  static sim::Counters& counters(const char* place) {
    return *static_cast<sim::Counters*>(handle(place, "sim.counters"));
  }
  static sim::Faults& faults(const char* place) {
    return *static_cast<sim::Faults*>(handle(place, "sim.faults"));
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Scope scope_;
};

}  // namespace loci::test
