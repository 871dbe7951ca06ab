#include "framework/program/guard_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/ops.hpp>
#include <loci/program.hpp>
#include <string>
#include <vector>

#include "framework/program/builder.h"
#include "framework/program/json_form.h"

namespace loci::program {
namespace {

constexpr Standing kAll[] = {Standing::kGuarded, Standing::kMoved, Standing::kFound};

TEST(GuardTextTest, KeepsThePlaceAndWhoPutItThere) {
  EXPECT_EQ(guard_text(Place("sim:1"), Standing::kGuarded), "sim:1");
  EXPECT_EQ(guard_text(Place("sim:1"), Standing::kMoved), "~sim:1");
  EXPECT_EQ(guard_text(Place("sim:1"), Standing::kFound), "?sim:1");
  for (const Standing standing : kAll) {
    for (const char* place : {"cpu", "sim:1", "gpu"}) {
      const std::string text = guard_text(Place(place), standing);
      EXPECT_EQ(standing_of(text), standing) << text;
      EXPECT_EQ(guarded_place(text), Place(place)) << text;
    }
  }
}

TEST(GuardTextTest, AMarkAloneIsNoPlace) {
  EXPECT_THROW((void)guarded_place("~"), Error);
  EXPECT_THROW((void)guarded_place("?~sim:0"), Error);
}

TEST(GuardTextTest, TheInnermostHolds) {
  const DeviceGuard guard("sim:0");
  {
    const GuardTextScope moved(guard_text(Place("sim:1"), Standing::kMoved));
    EXPECT_EQ(current_guard(), "~sim:1");
    const GuardTextScope nowhere{std::string()};
    EXPECT_EQ(current_guard(), "");
  }
  EXPECT_EQ(current_guard(), "sim:0");
}

// A file keeps what the user asked for, and takes it back.
TEST(GuardTextTest, FilesKeepWhatTheUserAskedFor) {
  const Program program;
  {
    const ProgramGuard building(program);
    Variable value = fill_constant({1}, 1.0);
    for (const Standing standing : kAll) {
      const GuardTextScope there(guard_text(Place("sim:1"), standing));
      value = relu(value);
    }
  }
  EXPECT_THAT(program.to_string(), ::testing::HasSubstr("@?sim:1"));
  const ParsedPrograms read = from_json(to_json(*program.impl(), nullptr), "test");
  std::vector<std::string> guards;
  for (const Operator& op : read.main->main().ops) guards.push_back(op.guard);
  EXPECT_THAT(guards, ::testing::ElementsAre("", "sim:1", "~sim:1", ""));
}

}  // namespace
}  // namespace loci::program
