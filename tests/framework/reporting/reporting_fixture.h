// Sessions and profiles of tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <loci/loci.hpp>
#include <loci/profiler.hpp>
#include <string>

#include "tests/support/plugin_setup.h"

namespace loci::reporting {

// Each test has a directory of its own.
class ReportingTest : public ::testing::Test {
 protected:
  ReportingTest() {
    test::use_test_plugins();
    directory_ = std::filesystem::path(::testing::TempDir()) /
                 ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  ~ReportingTest() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_ / name).string();
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(directory_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return std::filesystem::exists(directory_ / name);
  }
  static void ranges(int count) {
    for (int i = 0; i < count; ++i) const ProfileRange range("work");
  }

 private:
  std::filesystem::path directory_;
};

}  // namespace loci::reporting
