#include "tools/conformance/verify/process/check_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace loci::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Check grouped(std::string group) { return {"check", nullptr, std::move(group)}; }

TEST(CheckGroups, HaveTheirChecksInOrderAndNoneThatRunsAlone) {
  const std::vector<Check> checks{grouped(""),     grouped("relu"), grouped("mul"),
                                  grouped("relu"), grouped(""),     grouped("mul")};
  EXPECT_EQ(count_first_checks(checks), 1U);
  EXPECT_THAT(groups_of(checks), ElementsAre(CheckGroup{1, 3}, CheckGroup{2, 5}));
  EXPECT_EQ(count_first_checks({grouped(""), grouped("")}), 2U);
}

TEST(CheckGroups, AreSharedOutByTheNumberOfTheirChecks) {
  const std::vector<CheckGroup> groups{{1}, {2, 3, 4, 5}, {6, 7}, {8}};
  EXPECT_THAT(share_out(groups, 2),
              ElementsAre(ElementsAre(CheckGroup{2, 3, 4, 5}),
                          ElementsAre(CheckGroup{6, 7}, CheckGroup{1}, CheckGroup{8})));
  EXPECT_THAT(share_out(groups, 9), SizeIs(4)) << "a share is not empty";
}

}  // namespace
}  // namespace loci::verify
