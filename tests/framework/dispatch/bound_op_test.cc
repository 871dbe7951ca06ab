#include "framework/dispatch/bound_op.h"

#include "tests/framework/dispatch/dispatch_fixture.h"

namespace loci::dispatch {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class BoundOpTest : public DispatchTest {
 protected:
  BoundOp bind(const OpDesc& op, FallbackPolicy policy, bool is_guarded = false) {
    return bind_op(op, "act_0", {&device_at("toy:0"), is_guarded, policy}, &cache_);
  }
  // The message and the code that it has to have.
  template <class Bind>
  static std::string failure(ErrorCode code, const Bind& bind) {
    try {
      (void)bind();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    return "it was bound";
  }

  KernelCache cache_;
};

TEST_F(BoundOpTest, TheDeviceThatWasAskedForGoesFirst) {
  const BoundOp bound = bind(unary("relu", {4}), FallbackPolicy::kError);
  EXPECT_EQ(bound.device->place(), Place("toy:0"));
  EXPECT_FALSE(bound.fell_back());
}

TEST_F(BoundOpTest, TheCpuStandsInAndTheReasonIsKept) {
  for (const FallbackPolicy policy : {FallbackPolicy::kAllow, FallbackPolicy::kWarn}) {
    const BoundOp bound = bind(unary("softmax", {4}), policy);
    EXPECT_EQ(bound.device->place(), Place("cpu"));
    EXPECT_TRUE(bound.fell_back());
    EXPECT_EQ(bound.refusals, "no plugin brings a kernel of softmax for toy");
    EXPECT_THAT(bound.binding.refusals, AnyOf(IsEmpty(), HasSubstr("org.loci.cpu/onednn: ")));
  }
}

TEST_F(BoundOpTest, ThePolicyForbidsIt) {
  EXPECT_THAT(failure(ErrorCode::kPolicy,
                      [&] { return bind(unary("softmax", {4}), FallbackPolicy::kError); }),
              AllOf(StartsWith("[softmax] act_0 has no kernel at toy:0 (no plugin brings"),
                    HasSubstr("the policy forbids the CPU; allow the fallback")));
}

TEST_F(BoundOpTest, AGuardForbidsItToo) {
  EXPECT_THAT(failure(ErrorCode::kUnsupported,
                      [&] { return bind(unary("softmax", {4}), FallbackPolicy::kAllow, true); }),
              HasSubstr("change or remove the device guard"));
}

TEST_F(BoundOpTest, WithoutAKernelAnywhereBothRefusalsAreNamed) {
  EXPECT_THAT(
      failure(ErrorCode::kUnsupported,
              [&] { return bind(unary("relu", {4}, kBool), FallbackPolicy::kAllow); }),
      AllOf(
          HasSubstr("at toy:0 (none for bool; has: float32) and none at cpu (none for bool; has: "),
          HasSubstr("; use other dtypes or shapes")));
}

TEST_F(BoundOpTest, TheCpuHasNoStandIn) {
  const OpDesc op = unary("relu", {4}, kBool);
  const PlacementRequest request{&device_at("cpu"), false, FallbackPolicy::kAllow};
  EXPECT_THAT(
      failure(ErrorCode::kUnsupported, [&] { return bind_op(op, {}, request, &cache_); }),
      AllOf(StartsWith("[relu] has no kernel at cpu ("), HasSubstr("none for bool; has: ")));
}

}  // namespace
}  // namespace loci::dispatch
