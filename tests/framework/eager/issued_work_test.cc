#include "framework/eager/issued_work.h"

#include <functional>
#include <string>

#include "framework/device/device_manager.h"
#include "framework/plugin/abi_error.h"
#include "plugins/sim/handles.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class IssuedWorkTest : public EagerTest {
 protected:
  void SetUp() override { synchronize(); }
  void TearDown() override {
    faults().task = 0;
    EXPECT_NO_THROW(synchronize()) << "every test has met its failures";
  }
  static sim::Faults& faults() {
    device::Device& device = device::DeviceManager::instance().get(Place("sim:2"));
    void* found = nullptr;
    device.check(
        device.api().native_handle(device.handle(), nullptr, plugin::to_abi("sim.faults"), &found),
        "asking for a handle");
    return *static_cast<sim::Faults*>(found);
  }
  // Of the error that it throws; it is called once, as the device tells of a failure once.
  static std::string thrown_by(const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  }
  // Keeps all results: where one ends, the lane may ask the device what it has done so far.
  static void double_often(std::size_t count, std::vector<Tensor>* chain) {
    for (std::size_t i = 0; i < count; ++i) chain->push_back(chain->back() + chain->back());
  }
  static Tensor input() {
    const Tensor made = vector({-1, 2}).to("sim:2");
    synchronize();
    return made;
  }
};

TEST_F(IssuedWorkTest, AFailureNamesTheOnlyOpThatItMayBe) {
  const Tensor x = input();
  faults().task = 1;
  const Tensor y = relu(x);
  EXPECT_THAT(thrown_by([] { synchronize("sim:2"); }),
              AllOf(HasSubstr("as the settings of the device ask for"),
                    HasSubstr("; it is [relu] float32 [2] at sim:2, enqueued at "),
                    Not(HasSubstr("one of"))));
  EXPECT_NO_THROW(synchronize("sim:2")) << "it has been thrown";
}

TEST_F(IssuedWorkTest, AFailureNamesTheFirstAndTheLastThatItMayBe) {
  std::vector<Tensor> chain{input()};
  faults().task = 3;
  double_often(5, &chain);
  chain.push_back(relu(chain.back()));
  EXPECT_THAT(
      thrown_by([] { synchronize("sim:2"); }),
      AllOf(HasSubstr("one of the 6 ops since the last wait, from [elementwise_add] float32 [2], "),
            HasSubstr(" to [relu] float32 [2] at sim:2"), HasSubstr("SerialMode")));
}

TEST_F(IssuedWorkTest, EveryResultThatMayBeWrongThrows) {
  const Tensor x = input();
  faults().task = 1;
  const Tensor y = relu(x);
  const Tensor z = y + y;
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(thrown_by([&] { (void)z.to_vector<float>(); }), HasSubstr("[relu]"));
    EXPECT_THAT(thrown_by([&] { (void)y.to_vector<float>(); }), HasSubstr("[relu]"));
  }
  EXPECT_THAT(thrown_by([&] { (void)abs(y).to_vector<float>(); }), HasSubstr("[relu]"));
  EXPECT_THAT(floats(x), ElementsAre(-1, 2)) << "it was there before";
  EXPECT_THAT(floats(relu(x)), ElementsAre(0, 2)) << "and the device goes on";
}

TEST_F(IssuedWorkTest, WorkOfAnotherPlaceInheritsTheFailure) {
  const Tensor x = input();
  faults().task = 1;
  const Tensor here = relu(x).to("cpu");
  const Tensor more = here + here;
  EXPECT_THAT(thrown_by([&] { (void)more.to_vector<float>(); }), HasSubstr("[relu]"));
}

TEST_F(IssuedWorkTest, SerialModeThrowsAtTheOp) {
  const Tensor x = input();
  const SerialMode serial;
  const Tensor y = relu(x);
  faults().task = 1;
  EXPECT_THAT(thrown_by([&] { (void)(y + y); }),
              AllOf(HasSubstr("; it is [elementwise_add]"), Not(HasSubstr("one of the"))));
}

TEST_F(IssuedWorkTest, RemembersTheLatest) {
  std::vector<Tensor> chain{input()};
  double_often(IssuedWork::kRemembered, &chain);
  faults().task = 1;
  chain.push_back(relu(chain.back()));
  EXPECT_THAT(thrown_by([] { synchronize("sim:2"); }), HasSubstr("from one long ago to [relu]"));
}

}  // namespace
}  // namespace loci::eager
