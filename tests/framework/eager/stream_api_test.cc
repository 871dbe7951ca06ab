#include <loci/stream.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class StreamApiTest : public EagerTest {
 protected:
  // Work for a while, with a known result.
  static Tensor long_work(const Place& place) {
    Tensor value = ones({1 << 16}, kFloat32, place);
    for (int i = 0; i < 20; ++i) value = value * 1.0;
    return value;
  }
};

TEST_F(StreamApiTest, OpsGoIntoTheGuardsStream) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Stream stream(place);
    EXPECT_NE(stream, Stream::default_of(place));
    {
      const StreamGuard guard(stream);
      EXPECT_EQ(Stream::current(place), stream);
      EXPECT_EQ(Stream::current("sim:2"), Stream::default_of("sim:2"));
    }
    EXPECT_EQ(Stream::current(place), Stream::default_of(place));
  }
}

TEST_F(StreamApiTest, StreamsWaitForWhatTheirTensorsNeed) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Stream stream(place);
    const Tensor there = long_work(place);
    Tensor sum;
    {
      const StreamGuard guard(stream);
      sum = there + 1.0;
    }
    const Tensor back = sum * 2.0;  // the default stream waits for the other one
    EXPECT_EQ(back.to_vector<float>()[100], 4);
    // Changed by the one while the other may still read it: it waits.
    there.zero_();
    EXPECT_EQ(sum.to_vector<float>()[7], 2);
  }
}

TEST_F(StreamApiTest, MemoryIsNotUsedAgainBeforeOtherStreamsAreDone) {
  const Stream stream("sim:0");
  for (int i = 0; i < 50; ++i) {
    Tensor sum;
    {
      const Tensor source = full({4096}, i, kFloat32, "sim:0");
      const StreamGuard guard(stream);
      sum = source + 1.0;
    }
    const Tensor next = full({4096}, -1, kFloat32, "sim:0");
    EXPECT_EQ(sum.to_vector<float>()[4095], static_cast<float>(i + 1));
  }
}

TEST_F(StreamApiTest, EventsMarkPoints) {
  const Stream first("sim:0");
  const Stream second("cpu");
  Event event;
  EXPECT_TRUE(event.done());
  Tensor value;
  {
    const StreamGuard guard(first);
    value = long_work("sim:0");
  }
  event.record(first);
  event.wait(second);
  event.synchronize();
  EXPECT_TRUE(event.done());
  first.synchronize();
  EXPECT_TRUE(first.done());
}

TEST_F(StreamApiTest, SerialModeThrowsAtTheCall) {
  const SerialMode serial;
  const Tensor label = Tensor::from<std::int64_t>({7}, {1, 1});
  EXPECT_THAT(
      [&] {
        cross_entropy(full({1, 2}, 0.5), label);
      },
      ThrowsMessage<Error>(HasSubstr("[cross_entropy]")));
  EXPECT_EQ((vector({1}).to("sim:0") + 1.0).item<float>(), 2);
}

TEST_F(StreamApiTest, AnUnknownPlaceIsRefused) {
  EXPECT_THROW(Stream("nosuch:0"), Error);
  EXPECT_THROW(synchronize("nosuch:0"), Error);
}

}  // namespace
}  // namespace loci::eager
