// Sessions and profiles of tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <loci/loci.hpp>
#include <loci/profiler.hpp>
#include <string>

#include "tests/support/plugin_setup.h"
#include "tests/support/scratch_directory.h"

namespace loci::reporting {

// Each test has a directory of its own.
class ReportingTest : public ::testing::Test {
 protected:
  ReportingTest() { test::use_test_plugins("lib/loci/test_reporters"); }

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
