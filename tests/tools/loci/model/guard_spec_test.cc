#include "tools/loci/model/guard_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/ops.hpp>

#include "framework/program/program_impl.h"
#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;

std::string refusal(const std::string& argument) {
  return failure_of(ExitCode::kUsage, [&] { (void)parse_guard(argument); });
}

TEST(GuardSpecTest, ReadsPatternAndPlace) {
  const GuardSpec spec = parse_guard("fc_[01]=sim:1");
  EXPECT_EQ(spec.pattern, "fc_[01]");
  EXPECT_EQ(spec.place, Place("sim:1"));
}

TEST(GuardSpecTest, TheLastEqualsSignCounts) {
  const GuardSpec spec = parse_guard("x=y|mul.*=cpu");
  EXPECT_EQ(spec.pattern, "x=y|mul.*");
  EXPECT_EQ(spec.place, Place("cpu"));
}

TEST(GuardSpecTest, RefusesOtherForms) {
  EXPECT_THAT(refusal("relu"), HasSubstr("[--guard] 'relu': write REGEX=PLACE"));
  EXPECT_THAT(refusal("=cpu"), HasSubstr("write REGEX=PLACE"));
  EXPECT_THAT(refusal("relu="), HasSubstr("write REGEX=PLACE"));
  EXPECT_THAT(refusal(std::string(100000, 'r')),
              AllOf(HasSubstr("rrr'... (100000 bytes): write REGEX=PLACE"), SizeIs(Lt(200U))));
  EXPECT_THAT(refusal("relu=sim:x"), HasSubstr("[--guard] 'relu=sim:x': [place]"));
}

class ApplyGuardsTest : public ::testing::Test {
 protected:
  ApplyGuardsTest() {
    const ProgramGuard building(model_.main);
    (void)relu(data("x", {2}, kFloat32));
  }
  [[nodiscard]] const std::string& guard() const {
    return model_.main.impl()->main().ops.front().guard;
  }
  std::string refusal_of(const std::string& pattern) {
    return failure_of(ExitCode::kUsage, [&] { apply_guards({{pattern, "cpu"}}, model_); });
  }

  io::Model model_;
};

TEST_F(ApplyGuardsTest, TheLastOneWins) {
  apply_guards({{"relu", "sim:0"}, {"relu_0", "cpu"}}, model_);
  EXPECT_EQ(guard(), "cpu");
}

TEST_F(ApplyGuardsTest, RefusesWhatMatchesNothing) {
  EXPECT_THAT(refusal_of("rel"), HasSubstr("[--guard] 'rel': no operator has a name"));
  EXPECT_THAT(refusal_of("rel("), HasSubstr("[--guard] 'rel(': [guard] 'rel(' is no regular"));
  EXPECT_EQ(guard(), "");
}

}  // namespace
}  // namespace loci::runner
