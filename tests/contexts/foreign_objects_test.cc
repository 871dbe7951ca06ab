// Uses objects of one context in another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/contexts/own_context.h"

namespace loci {
namespace {

using test::use_plugins;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<std::string> kWithSwish{"plugins/loci-cpu.so", "plugins/loci-sim.so",
                                          "test_plugins/loci-test_swish.so"};

// Objects of one context, for use in another.
class ForeignTest : public ::testing::Test {
 protected:
  ForeignTest() {
    {
      const ContextGuard guard(home_);
      use_plugins(kWithSwish);
      host_ = full({2}, 1.0);
      host_.set_name("weights");
      at_sim_ = full({2}, 1.0, kFloat32, "sim:0");
    }
    const ContextGuard guard(other_);
    use_plugins(kWithSwish);
  }

  static auto refused(const std::string& what) {
    return ThrowsMessage<Error>(
        AllOf(HasSubstr(what + " belongs to context"), HasSubstr("this thread is in context")));
  }

  const Context home_;
  const Context other_;
  Tensor host_;
  Tensor at_sim_;
};

TEST_F(ForeignTest, TensorsAreRefused) {
  const ContextGuard guard(other_);
  const Tensor own = full({2}, 1.0);
  (void)(own + own);  // known from now on, but not for the other's tensors
  EXPECT_THAT([&] { (void)(own + host_); }, refused("tensor 'weights' float32 [2] at cpu"));
  EXPECT_THAT([&] { (void)(own + host_); },
              ThrowsMessage<Error>(AllOf(HasSubstr("[elementwise_add]"), HasSubstr("ContextGuard"),
                                         HasSubstr("to_vector()"))));
  EXPECT_THAT([&] { (void)relu(at_sim_); }, refused("tensor '' float32 [2] at sim:0"));
  EXPECT_THAT([&] { (void)at_sim_.to_vector<float>(); }, refused("at sim:0"));
  EXPECT_THAT([&] { (void)at_sim_.to("cpu"); }, refused("at sim:0"));
  EXPECT_THAT([&] { (void)host_.to("sim:0"); }, refused("at cpu"));
  EXPECT_THAT([&] { host_.add_(own); }, refused("at cpu"));
  EXPECT_THAT([&] { own.copy_(host_); }, refused("at cpu"));
  EXPECT_THAT([&] { (void)to_dlpack(host_); }, refused("at cpu"));
}

TEST_F(ForeignTest, ValuesGoOver) {
  std::vector<float> values;
  {
    const ContextGuard guard(home_);
    values = (host_ + at_sim_.to("cpu")).to_vector<float>();
  }
  const ContextGuard guard(other_);
  EXPECT_EQ((Tensor::from(values, Shape{2}) + 1.0).to_vector<float>()[0], 3.0F);
}

TEST_F(ForeignTest, GradientsAreRefused) {
  Tensor loss;
  {
    const ContextGuard guard(home_);
    host_.set_requires_grad(true);
    loss = mean(host_ * 2.0);
  }
  const ContextGuard guard(other_);
  EXPECT_THAT([&] { loss.backward(); }, refused("at cpu"));
}

TEST_F(ForeignTest, ScopesExecutorsAndStreamsAreRefused) {
  const ContextGuard outer(home_);
  const Scope scope;
  Executor executor("cpu", CompileOptions(), scope);
  const Stream stream("sim:0");
  Event event;
  event.record(stream);
  const ContextGuard guard(other_);
  const Tensor own = full({2}, 1.0);
  EXPECT_THAT([&] { executor.run(Program(), {}, {}); }, refused("the executor at cpu"));
  EXPECT_THAT([&] { scope.set("w", own); }, refused("the scope"));
  EXPECT_THAT([&] { Scope().set("w", host_); }, refused("at cpu"));
  EXPECT_THAT([&] { const Executor here("cpu", CompileOptions(), scope); }, refused("the scope"));
  EXPECT_THAT([&] { const StreamGuard here(stream); }, refused("a stream of sim:0"));
  EXPECT_THAT([&] { event.wait(Stream("sim:0")); }, refused("a stream of sim:0"));
}

TEST_F(ForeignTest, FeedsAreRefused) {
  const ContextGuard guard(other_);
  const Program main;
  const ProgramGuard building(main);
  const Variable y = data("x", {2}, kFloat32) + 1.0;
  Executor executor("cpu", CompileOptions(), Scope());
  EXPECT_THAT(
      [&] {
        executor.run(main, {{"x", host_}}, {y});
      },
      ThrowsMessage<Error>(HasSubstr("[executor] tensor 'weights' float32 [2] at cpu ")));
}

// A program that has built-in ops alone belongs to none.
TEST_F(ForeignTest, ProgramsWithOpsOfPluginsAreRefused) {
  const Program plain;
  const Program special;
  Variable sum;
  {
    const ContextGuard guard(home_);
    const ProgramGuard building(plain);
    sum = data("x", {2}, kFloat32) + 1.0;
    const ProgramGuard within(special);
    const Variable x = data("x", {2}, kFloat32);
    (void)OpCall<Variable>("sample.swish").input("x", x).attr("beta", 1.0).result();
  }
  const ContextGuard guard(other_);
  Executor executor("cpu", CompileOptions(), Scope());
  const Tensor fed = full({2}, 1.0);
  EXPECT_EQ(executor.run(plain, {{"x", fed}}, {sum})[0].to_vector<float>()[0], 2.0F);
  EXPECT_THAT(
      [&] {
        executor.run(special, {{"x", fed}}, {});
      },
      ThrowsMessage<Error>(HasSubstr("is an op of the plugin org.example.sample in another "
                                     "context")));
}

}  // namespace
}  // namespace loci
