// The plugins that unit tests run with: the CPU plugin and the toy backend.
#pragma once

#include <loci/plugins.hpp>

namespace loci::test {

// Searches the build tree's plugins and the test plugins; only the first call does anything.
inline void use_test_plugins() {
  static const bool kDone = [] {
    plugins::SearchOptions options;
    options.directories = {LOCI_PLUGIN_DIR, LOCI_TEST_PLUGIN_DIR};
    plugins::configure(options);
    return true;
  }();
  (void)kDone;
}

}  // namespace loci::test
