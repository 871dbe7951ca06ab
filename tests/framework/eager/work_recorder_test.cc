#include "framework/eager/work_recorder.h"

#include "framework/eager/placing.h"
#include "framework/eager/queues.h"
#include "framework/memory/private_pool.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Keeps what it is given.
class Recorder final : public WorkRecorder {
 public:
  memory::Buffer allocate(device::Device* space, std::uint64_t bytes, const Queue& queue,
                          const char* name) override {
    if (space != nullptr && device_pool == nullptr) {
      device_pool = std::make_shared<memory::PrivatePool>(*space);
    }
    return space == nullptr ? host_pool->allocate(bytes, nullptr, name)
                            : device_pool->allocate(bytes, queue.stream(), name);
  }
  [[nodiscard]] std::shared_ptr<void> pool(device::Device* space) override {
    if (space != nullptr && device_pool == nullptr) {
      device_pool = std::make_shared<memory::PrivatePool>(*space);
    }
    return space == nullptr ? host_pool : device_pool;
  }
  void record(Task& task, Queue&) override { tasks.push_back(std::move(task)); }
  Tensor random_state() override { return zeros({3}, kUInt64); }
  std::int64_t next_draw() override { return draws++; }
  void note_gradient(const std::shared_ptr<tensor::TensorImpl>&, bool) override {}
  [[nodiscard]] bool has_earlier_gradient(const tensor::TensorImpl&) const override {
    return false;
  }
  std::uint64_t mark(const Queue&) override { return ++marks; }
  void wait_for(const Queue&, const Queue&, std::uint64_t mark) override { waited = mark; }
  void join(const std::shared_ptr<Queue>& queue) override { joined = queue.get(); }
  [[noreturn]] void refuse_wait(const char* action) override {
    throw Error(ErrorCode::kInvalidArgument, action);
  }
  [[nodiscard]] std::uint64_t number() const override { return 7; }

  std::shared_ptr<memory::PrivatePool> host_pool = std::make_shared<memory::PrivatePool>();
  std::shared_ptr<memory::PrivatePool> device_pool;
  std::vector<Task> tasks;
  std::int64_t draws = 0;
  std::uint64_t marks = 0;
  std::uint64_t waited = 0;
  const Queue* joined = nullptr;
};

class WorkRecorderTest : public EagerTest {
 protected:
  // Records while it lives.
  struct Recording {
    explicit Recording(const Place& place) : stream(place), guard(stream) {
      stream.queue()->set_recorder(
          std::shared_ptr<WorkRecorder>(std::shared_ptr<void>(), &recorder));
    }
    ~Recording() { stream.queue()->set_recorder(nullptr); }
    Recorder recorder;
    Stream stream;
    StreamGuard guard;
  };
};

TEST_F(WorkRecorderTest, TakesWhatTheQueueIsGiven) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Tensor x = vector({1, 2}).to(Place(place));
    Recording recording((Place(place)));
    const Tensor y = x + x;
    const Tensor z = y.to("cpu").to("sim:1");
    recording.stream.launch_host_function([] { FAIL() << "it was recorded"; });
    ASSERT_GE(recording.recorder.tasks.size(), 2U) << place;
    EXPECT_EQ(recording.recorder.tasks[0].plan->schema->name(), "elementwise_add");
    EXPECT_NE(recording.recorder.tasks.back().host_function, nullptr);
    EXPECT_NE(y.impl()->storage()->extras.get().pool, nullptr) << "its memory is the recorder's";
  }
}

TEST_F(WorkRecorderTest, OtherQueuesComputeMeanwhile) {
  const Tensor x = vector({1, 2});
  Recording recording((Place("cpu")));
  const StreamGuard guard(Stream::default_of(Place("cpu")));
  EXPECT_EQ(floats(x + x), (std::vector<float>{2, 4}));
  EXPECT_TRUE(recording.recorder.tasks.empty());
}

TEST_F(WorkRecorderTest, EventsAreItsPoints) {
  Recording recording((Place("sim:0")));
  const Stream side(Place("sim:0"));
  Event event;
  event.record(recording.stream);
  event.wait(side);
  EXPECT_EQ(recording.recorder.joined, side.queue().get());
  event.wait(recording.stream);
  EXPECT_EQ(recording.recorder.waited, 1U);
  EXPECT_THAT([&] { event.synchronize(); }, ThrowsMessage<Error>(HasSubstr("synchronize")));
}

}  // namespace
}  // namespace loci::eager
