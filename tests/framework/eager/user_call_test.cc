#include "framework/eager/user_call.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <loci/nn.hpp>
#include <loci/optimizer.hpp>
#include <memory>
#include <string>

#include "tests/framework/eager/eager_fixture.h"
#include "tests/support/sim_faults.h"

namespace loci::eager {
namespace {

const char marks[4] = {};
const void* const own = &marks[0];
const void* const inner = &marks[1];
const void* const outer = &marks[2];

TEST(UserCallTest, TheOutermostCallCounts) {
  const ThreadState& thread = thread_state();
  EXPECT_EQ(thread.user_site(own), own);
  {
    const UserCall call(outer);
    {
      const UserCall within(inner);
      EXPECT_EQ(thread.user_site(own), outer);
    }
    EXPECT_EQ(thread.user_site(own), outer);
    {
      const UserCode code;
      EXPECT_EQ(thread.user_site(own), own);
    }
  }
  EXPECT_EQ(thread.user_site(own), own);
}

TEST(UserCallTest, AUserCallerLeavesOpsThatTheUserCallsAlone) {
  const ThreadState& thread = thread_state();
  const UserCaller caller(outer);
  EXPECT_EQ(thread.user_site(own), own);
  const UserCall call(inner);
  EXPECT_EQ(thread.user_site(own), outer);
}

// "file+0x12", "function+0x34 (file)".
struct Site {
  std::string before;
  std::int64_t distance = 0;
};

// Where the op of an error was enqueued.
class SiteOfErrorTest : public EagerTest {
 protected:
  static constexpr const char* kPlace = "sim:1";
  void SetUp() override { synchronize(); }
  // Returns the site of what fails first in the device.
  static Site site_of(const std::function<void()>& body) {
    test::sim_faults(kPlace).task = 1;
    body();
    std::string message;
    try {
      synchronize(kPlace);
    } catch (const Error& error) {
      message = error.what();
    }
    const std::size_t begin = message.find("enqueued at ");
    const std::size_t plus = message.find("+0x", begin);
    if (begin == std::string::npos || plus == std::string::npos) return {message};
    return {message.substr(begin, plus - begin),
            std::strtoll(message.c_str() + plus + 1, nullptr, 16)};
  }
  // Checks that the site is in this file: near an op that is called here.
  static void expect_here(const Site& site) {
    const Tensor x = vector({1, -1}).to(kPlace);
    synchronize(kPlace);
    const Site here = site_of([&] { (void)relu(x); });
    EXPECT_EQ(site.before, here.before);
    EXPECT_LT(std::abs(site.distance - here.distance), 1 << 15);
  }
};

TEST_F(SiteOfErrorTest, OfATensorThatIsMadeAtAPlace) {
  expect_here(site_of([] { (void)full({2}, 1, kFloat32, kPlace); }));
  expect_here(site_of([] { (void)zeros({2}, kFloat32, kPlace); }));
  expect_here(site_of([] { (void)rand({2}, 0, 1, kFloat32, kPlace); }));
}

TEST_F(SiteOfErrorTest, OfAModule) {
  const DeviceGuard guard(kPlace);
  nn::Sequential net;
  net.add(std::make_shared<nn::Linear>(2, 3)).add(std::make_shared<nn::ReLU>());
  const Tensor x = full({1, 2}, 1);
  synchronize(kPlace);
  expect_here(site_of([&] { (void)net(x); }));
  expect_here(site_of([&] { (void)net[0](x); }));
  expect_here(site_of([] { const nn::Linear made(2, 3); }));
}

// The learning rate is filled in first.
TEST_F(SiteOfErrorTest, OfAnOptimizersStep) {
  const Tensor w = variable({1, 2}, kPlace);
  w.set_grad(w.detach());
  optimizer::Momentum momentum(0.1);
  synchronize(kPlace);
  expect_here(site_of([&] { momentum.step({w}); }));
}

TEST_F(SiteOfErrorTest, OfABackwardPass) {
  const Tensor w = variable({1, 2}, kPlace);
  const Tensor loss = reduce_sum(w * w);
  synchronize(kPlace);
  expect_here(site_of([&] { loss.backward(); }));
}

}  // namespace
}  // namespace loci::eager
