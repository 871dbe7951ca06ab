#include "framework/eager/fallback.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class FallbackTest : public EagerTest {};

TEST_F(FallbackTest, ThePolicyForbidsTheCpu) {
  const Tensor x = vector({1, 3, 2}).to("sim:0");
  const auto forbidden = ThrowsMessage<Error>(
      AllOf(HasSubstr("[argmax] has no kernel at sim:0 (no plugin brings a kernel of argmax"),
            HasSubstr("the policy forbids the CPU")));
  const FallbackGuard strict(FallbackPolicy::kError);
  EXPECT_THAT([&] { argmax(x); }, forbidden);
  {
    const FallbackGuard mild(FallbackPolicy::kAllow);
    EXPECT_EQ(argmax(x).place(), Place("sim:0"));
  }
  // Also for a call that has been planned under the other policy.
  EXPECT_THAT([&] { argmax(x); }, forbidden);
}

TEST_F(FallbackTest, TheFallbackIsToldOnceForAnOpAndAPlace) {
  const Tensor x = vector({1, 3, 2}).to("sim:1");
  const auto told = [&] {
    ::testing::internal::CaptureStderr();
    argmax(x);
    argmax(x);
    argmax(vector({1, 2}).to("sim:1"));  // another plan
    return ::testing::internal::GetCapturedStderr();
  };
  {
    const FallbackGuard mild(FallbackPolicy::kAllow);
    EXPECT_EQ(told(), "");
  }
  // Also of a call that has been planned under the other policy.
  const std::string text = told();
  EXPECT_THAT(text, HasSubstr("argmax has no kernel at sim:1 and runs on the CPU"));
  EXPECT_EQ(text.find("argmax has"), text.rfind("argmax has"));
  EXPECT_EQ(told(), "");
}

}  // namespace
}  // namespace loci::eager
