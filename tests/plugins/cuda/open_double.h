// The plugin on the double of the driver, through its C tables.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "tests/support/kernel_driver.h"
#include "tests/support/paths.h"

namespace loci::testing {

// `setup` is for the double, which reads it when a process first uses it.
inline DrivenPlugin open_double(const char* setup,
                                std::map<std::string, std::string> options = {}) {
  ::setenv("LOCI_CUDA_DOUBLE", setup, /*replace=*/1);
  options.emplace("driver", test::build_path("lib/loci/cuda_double/libcuda.so.1"));
  return DrivenPlugin(open_plugin(test::plugin_file("cuda")), std::move(options));
}

// The status of a process of its own that runs the body.
template <class Body>
int in_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      body();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace loci::testing
