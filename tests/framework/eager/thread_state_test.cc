#include "framework/eager/thread_state.h"

#include <thread>

#include "framework/eager/queues.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

class ThreadStateTest : public EagerTest {};

TEST_F(ThreadStateTest, TheInnermostGuardHolds) {
  ThreadState& thread = thread_state();
  EXPECT_EQ(guarded_device(thread), nullptr);
  const DeviceGuard outer("sim:0");
  EXPECT_EQ(guarded_device(thread)->place(), Place("sim:0"));
  {
    const DeviceGuard inner("sim:1");
    EXPECT_EQ(guarded_device(thread)->place(), Place("sim:1"));
  }
  EXPECT_EQ(guarded_device(thread)->place(), Place("sim:0"));
}

TEST_F(ThreadStateTest, AGuardIsOfTheDeviceThatIsThereNow) {
  const DeviceGuard guard("sim:3");
  const device::Device* before = guarded_device(thread_state());
  EXPECT_EQ(full({2}, 1.0, kFloat32).to_vector<float>(), (std::vector<float>{1, 1}));
  lose_and_reopen("sim:3");
  EXPECT_NE(guarded_device(thread_state()), before);
  EXPECT_EQ(full({2}, 1.0, kFloat32).to_vector<float>(), (std::vector<float>{1, 1}));
}

TEST_F(ThreadStateTest, EachThreadHasItsOwn) {
  const NoGrad scope;
  bool records = false;
  std::thread([&] { records = thread_state().records; }).join();
  EXPECT_TRUE(records);
  EXPECT_FALSE(thread_state().records);
}

TEST_F(ThreadStateTest, AStreamServesItsOwnDevice) {
  const Stream stream("sim:0");
  const StreamGuard guard(stream);
  Queue& other = *Stream::default_of("sim:1").queue();
  EXPECT_EQ(&current_queue(thread_state(), other), &other);
  EXPECT_EQ(&current_queue(thread_state(), *Stream::default_of("sim:0").queue()),
            stream.queue().get());
}

}  // namespace
}  // namespace loci::eager
