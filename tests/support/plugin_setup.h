// The plugins that unit tests run with.
#pragma once

#include <loci/plugins.hpp>
#include <string_view>

#include "tests/support/paths.h"

namespace loci::test {

// Searches the plugins that Loci brings and those in this folder of the build, for tests; only the
// first call does anything.
inline void use_test_plugins(std::string_view folder) {
  static const bool kDone = [&] {
    plugins::SearchOptions options;
    options.directories = {plugin_directory(), build_path(folder)};
    plugins::configure(options);
    return true;
  }();
  (void)kDone;
}

}  // namespace loci::test
