// Sessions and profiles of tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <loci/loci.hpp>
#include <loci/plugins.hpp>
#include <loci/profiler.hpp>
#include <string>

#include "tests/support/paths.h"
#include "tests/support/scratch_directory.h"

namespace loci::reporting {

// Each test has a directory of its own.
class ReportingTest : public ::testing::Test {
 protected:
  ReportingTest() {
    static const bool kDone = [] {
      plugins::SearchOptions options;
      options.directories = {test::plugin_directory(), test::build_path("lib/loci/test_reporters"),
                             test::build_path("lib/loci/toy_plugin")};
      plugins::configure(options);
      return true;
    }();
    (void)kDone;
  }

  [[nodiscard]] std::string path(const std::string& name) const { return scratch_.path(name); }
  [[nodiscard]] std::string read(const std::string& name) const { return scratch_.read(name); }
  [[nodiscard]] bool exists(const std::string& name) const {
    return std::filesystem::exists(path(name));
  }
  static void ranges(int count) {
    for (int i = 0; i < count; ++i) const ProfileRange range("work");
  }

 private:
  test::ScratchDirectory scratch_;
};

}  // namespace loci::reporting
