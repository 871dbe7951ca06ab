#include <gtest/gtest.h>

#include <loci/program.hpp>
#include <thread>

#include "framework/program/builder.h"

namespace loci {
namespace {

using program::current_guard;

TEST(GuardsTest, DeviceGuardsNest) {
  EXPECT_EQ(current_guard(), "");
  {
    const DeviceGuard outer("cpu");
    EXPECT_EQ(current_guard(), "cpu");
    {
      const DeviceGuard inner("sim:1");
      EXPECT_EQ(current_guard(), "sim:1");
    }
    EXPECT_EQ(current_guard(), "cpu");
  }
  EXPECT_EQ(current_guard(), "");
}

TEST(GuardsTest, ABareTypeStaysBare) {
  const DeviceGuard guard("gpu");
  EXPECT_EQ(current_guard(), "gpu");
  const DeviceGuard indexed("gpu:0");
  EXPECT_EQ(current_guard(), "gpu:0");
}

TEST(GuardsTest, ProgramGuardsNest) {
  const Program outer_main;
  const Program outer_startup;
  const auto before = default_main_program().impl();
  {
    const ProgramGuard outer(outer_main, outer_startup);
    EXPECT_EQ(default_main_program().impl(), outer_main.impl());
    EXPECT_EQ(default_startup_program().impl(), outer_startup.impl());
    {
      const Program inner_main;
      const ProgramGuard inner(inner_main);
      EXPECT_EQ(default_main_program().impl(), inner_main.impl());
      EXPECT_NE(default_startup_program().impl(), outer_startup.impl());
    }
    EXPECT_EQ(default_main_program().impl(), outer_main.impl());
  }
  EXPECT_EQ(default_main_program().impl(), before);
}

TEST(GuardsTest, EachThreadHasItsOwn) {
  const DeviceGuard guard("sim");
  const auto mine = default_main_program().impl();
  std::string seen = "none";
  std::shared_ptr<program::ProgramImpl> theirs;
  std::thread([&] {
    seen = current_guard();
    theirs = default_main_program().impl();
  }).join();
  EXPECT_EQ(seen, "");
  EXPECT_NE(theirs, mine);
}

}  // namespace
}  // namespace loci
