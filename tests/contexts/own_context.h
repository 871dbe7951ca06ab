// Contexts of tests, with plugins of their own.
#pragma once

#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace loci::test {

// In the current context: those files of the build, with these settings of sim.
inline void use_plugins(const std::vector<std::string>& files, const std::string& sim = "") {
  config::set("SIM", sim);
  plugins::SearchOptions options;
  for (const std::string& file : files) {
    options.files.push_back(build_path("lib/loci/" + file));
  }
  plugins::configure(options);
  // The options of an instance are read as it is made.
  plugins::report(/*activate=*/true);
}

inline const std::vector<std::string> kCpuAndSim{"plugins/loci-cpu.so", "plugins/loci-sim.so"};

// Runs in a context of its own.
inline void in_new_context(const std::function<void()>& body) {
  const Context context;
  const ContextGuard guard(context);
  body();
}

}  // namespace loci::test
