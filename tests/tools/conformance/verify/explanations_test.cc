#include "tools/conformance/verify/explanations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "tests/support/paths.h"
#include "tools/conformance/verify/levels.h"
#include "tools/conformance/verify/verify.h"

namespace loci::verify {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Returns the checks of a plugin with two devices that has kernels of each kind.
std::vector<Check> all_checks() {
  const Target target{plugins::inspect(test::build_path("lib/loci/faulty_plugins/loci-none.so"))};
  Brought brought;
  brought.asked = brought.has_device_table = true;
  brought.devices = 2;
  brought.kernel_ops = brought.alias_ops = brought.layout_ops = {"relu", "scale"};
  const OpsOptions options{"rules:0", {}};
  std::vector<Check> all;
  for (const auto& checks :
       {abi_level(target), life_level(target), mem_level(target), order_level(target),
        fault_level(target), profile_level(target), capture_level(target, options, brought),
        ops_level(target, options, brought, {}).checks}) {
    all.insert(all.end(), checks.begin(), checks.end());
  }
  return all;
}

TEST(Explanations, EachCheckHasOne) {
  const std::vector<Check> checks = all_checks();
  EXPECT_GT(checks.size(), 500U);
  for (const Check& check : checks) {
    EXPECT_GT(explanation_of(check.name).size(), 40U) << check.name;
    EXPECT_EQ(explain(check.name), explanation_of(check.name));
  }
}

TEST(Explanations, AreOfTheCheckItself) {
  EXPECT_THAT(explain("mem/most_allocations"), HasSubstr("max_allocations"));
  EXPECT_THAT(explain("ops/aliases/matmul"), HasSubstr("in the memory of an input"));
  EXPECT_THAT(explain("ops/matmul/matmul/float32/[1],[1]"), HasSubstr("its reference"));
}

TEST(Explanations, OfNoCheckNamesThoseThatAreNear) {
  EXPECT_THAT([] { explain("mem/mamy"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("there is no check 'mem/mamy'"),
                                         HasSubstr("did you mean 'mem/many'"),
                                         HasSubstr("abi, life, mem"))));
  EXPECT_EQ(explanation_of("mem"), "");
  EXPECT_EQ(explanation_of(""), "");
}

}  // namespace
}  // namespace loci::verify
