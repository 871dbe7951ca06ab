// The plugins that the tests of this folder compute with.
#pragma once

#include <gtest/gtest.h>

#include <loci/plugins.hpp>

#include "framework/core/config.h"
#include "tests/support/paths.h"

namespace loci::optimizer {

// Chosen once, before the first device of the process. Without oneDNN, so that programs and tensors
// have the same bits; with two simulated devices.
class WithPlugins : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool kDone = (use_plugins(), true);
    (void)kDone;
  }

 private:
  static void use_plugins() {
    core::set_config_value("CPU_ONEDNN", "0");
    core::set_config_value("SIM", "devices=2,race=1,seed=5");
    plugins::SearchOptions options;
    options.directories = {test::plugin_directory()};
    plugins::configure(options);
  }
};

}  // namespace loci::optimizer
