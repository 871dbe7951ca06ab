#include "framework/capture/graph_memory.h"

#include <optional>

#include "framework/device/device_manager.h"
#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class GraphMemoryTest : public GraphTest {};
LOCI_GRAPH_PLACES(GraphMemoryTest);

TEST_P(GraphMemoryTest, A9_AGraphEndsWhileAnotherIsCaptured) {
  const Tensor x = vector({2});
  std::optional<Graph> first(std::in_place, place());
  first->capture_begin();
  Tensor y = x + x;
  first->capture_end();
  first->replay();
  Graph second(place(), CaptureMode::kRelaxed);
  second.capture_begin();
  const Tensor z = x * x;
  first.reset();
  second.capture_end();
  second.replay();
  EXPECT_THAT(floats(z), ElementsAre(4));
}

TEST_P(GraphMemoryTest, B4_MemoryGrowsInEveryMode) {
  const Tensor x = full({1 << 18}, 1.0, kFloat32).to(place());
  for (const CaptureMode mode :
       {CaptureMode::kGlobal, CaptureMode::kThreadLocal, CaptureMode::kRelaxed}) {
    Graph graph(place(), mode);
    std::vector<Tensor> results;
    graph.capture_begin();
    for (int i = 0; i < 8; ++i) results.push_back(x + x);
    graph.capture_end();
    EXPECT_GE(graph.pool().bytes_in_use(), 8U << 20);
    graph.replay();
    EXPECT_EQ(floats(results.back()).front(), 2);
  }
}

TEST_P(GraphMemoryTest, D1_AddressesStayItsOwn) {
  const Tensor x = full({1024}, 3.0, kFloat32).to(place());
  Graph graph(place());
  graph.capture_begin();
  Tensor y = x * x;  // a temporary: its memory is the graph's still
  Tensor z = y + x;
  y = Tensor();
  graph.capture_end();
  for (int i = 0; i < 50; ++i) {
    const Tensor noise = full({1024}, i, kFloat32).to(place());
    graph.replay();
    const Tensor more = noise + noise;
    ASSERT_EQ(floats(z).back(), 12);
    ASSERT_EQ(floats(more).back(), 2 * i);
  }
}

TEST_P(GraphMemoryTest, AFewSmallLaunchesTakeLittle) {
  const Tensor x = full({4, 16}, 1.0, kFloat32).to(place());
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = dropout(relu(x * 2.0), 0.5);
  graph.capture_end();
  graph.replay();
  EXPECT_GE(graph.pool().bytes_in_use(), 256U);
  EXPECT_LE(graph.pool().bytes_held(), 64U << 10);
}

TEST_P(GraphMemoryTest, WhatIsKeptIsNobodyElses) {
  auto& devices = device::DeviceManager::instance();
  device::Device& device = devices.get(devices.resolve(place(), Place()));
  device::Device* space = device.uses_host_memory() ? nullptr : &device;
  const auto memory = GraphMemory::make();
  { const memory::Buffer left = memory->allocate(space, 1 << 16, nullptr, "left"); }
  const memory::Buffer kept = memory->allocate_kept(space, 24, nullptr, "kept");
  const memory::Buffer next = memory->allocate(space, 1 << 16, nullptr, "in its place");
  EXPECT_FALSE(meet({{space, reinterpret_cast<std::uintptr_t>(next.data()), next.bytes()}},
                    {space, reinterpret_cast<std::uintptr_t>(kept.data()), kept.bytes()}));
  EXPECT_GE(memory->stats().in_use, next.bytes() + kept.bytes());
  EXPECT_EQ(memory->stats().backend_allocations, 2U);
}

TEST_P(GraphMemoryTest, D2_TemporariesShareMemoryWithinIt) {
  const Tensor x = full({1 << 16}, 1.0, kFloat32).to(place());
  std::uint64_t few = 0;
  for (const int count : {8, 200}) {
    Graph graph(place());
    graph.capture_begin();
    Tensor y = x;
    for (int i = 0; i < count; ++i) y = y + x;
    graph.capture_end();
    graph.replay();
    EXPECT_EQ(floats(y).front(), count + 1);
    if (few == 0) {
      few = graph.stats().peak_bytes;
    } else {
      EXPECT_EQ(graph.stats().peak_bytes, few);
    }
  }
}

TEST_P(GraphMemoryTest, D4_APoolLivesAsLongAsItsTensors) {
  const Tensor x = full({1 << 18}, 2.0, kFloat32).to(place());
  (void)floats(x);  // its memory is there
  const std::uint64_t before = memory_use("cpu").in_use;
  Tensor y;
  {
    Graph graph(place());
    graph.capture_begin();
    y = x * x;
    graph.capture_end();
    graph.replay();
  }
  EXPECT_EQ(floats(y).back(), 4) << "the graph has ended, and its output has not";
  y = Tensor();
  if (place().is_host()) {
    EXPECT_EQ(memory_use("cpu").in_use, before);
  }
}

TEST_P(GraphMemoryTest, GivesBackWhatNoGraphUses) {
  const Tensor x = full({1 << 22}, 3.0, kFloat32).to(place());
  const GraphPool pool = Graph(place()).pool();
  Graph kept(place(), CaptureMode::kThreadLocal, pool);
  kept.capture_begin();
  const Tensor y = (x + x) * x;
  kept.capture_end();
  const std::uint64_t of_one = pool.bytes_held();
  {
    Graph other(place(), CaptureMode::kThreadLocal, pool);
    other.capture_begin();
    const Tensor z = (x + x) * x;
    EXPECT_THAT([&] { pool.empty_cache(); },
                ThrowsMessage<Error>(HasSubstr("into which a graph is being captured")));
    other.capture_end();
    other.replay();
    pool.empty_cache();
    EXPECT_GT(pool.bytes_held(), of_one);
  }
  pool.empty_cache();
  EXPECT_EQ(pool.bytes_held(), of_one);
  const Tensor noise = full({1 << 22}, 7.0, kFloat32).to(place());
  kept.replay();  // its temporary has an address of its own still
  EXPECT_EQ(floats(y).back(), 18);
  EXPECT_EQ(floats(noise).back(), 7);
}

// Freed while it is captured, when two streams have used it: what is allocated then does not lie
// there unless it comes behind both.
TEST_P(GraphMemoryTest, D5_ABlockOfTwoStreamsIsFreedMeanwhile) {
  constexpr std::int64_t kMany = 1 << 14;
  const Tensor x = full({kMany}, 3.0, kFloat32).to(place());
  const Stream side(place());
  Graph graph(place());
  graph.capture_begin();
  Event forked;
  forked.record(Stream::current(place()));
  forked.wait(side);
  std::vector<Tensor> squares;
  std::vector<Tensor> others;
  for (int i = 0; i < 6; ++i) {
    Tensor shared = x + x;
    {
      const StreamGuard guard(side);
      squares.push_back(shared * shared);
    }
    shared = Tensor();
    others.push_back(x - x);  // of the same size, in the stream that made the block
  }
  Event over;
  over.record(side);
  over.wait(Stream::current(place()));
  Tensor joined = x;
  for (const Tensor& square : squares) joined = joined + square;
  graph.capture_end();
  for (int i = 0; i < 10; ++i) {
    graph.replay();
    const Tensor noise = full({kMany}, 7.0, kFloat32).to(place());
    for (const Tensor& square : squares) ASSERT_EQ(floats(square).back(), 36);
    for (const Tensor& other : others) ASSERT_EQ(floats(other).back(), 0);
    ASSERT_EQ(floats(joined).back(), 3 + 6 * 36);
    ASSERT_EQ(floats(noise).back(), 7);
  }
}

// Each graph has a workspace of its own: replays of two of the same kernels may overlap.
TEST_P(GraphMemoryTest, D12_WorkspacesAreNotShared) {
  const auto input = [&](double value) { return full({2, 3, 8, 8}, value, kFloat32).to(place()); };
  const Tensor weights = full({4, 3, 3, 3}, 0.5, kFloat32).to(place());
  const Tensor one = input(1.0);
  const Tensor two = input(2.0);
  const std::vector<float> of_one = floats(conv2d(one, weights));
  const std::vector<float> of_two = floats(conv2d(two, weights));
  Graph first(place());
  first.capture_begin();
  const Tensor y = conv2d(one, weights);
  first.capture_end();
  Graph second(place());
  second.capture_begin();
  const Tensor z = conv2d(two, weights);
  second.capture_end();
  const Stream side(place());
  for (int i = 0; i < 20; ++i) {
    first.replay();
    second.replay(side);
    const Tensor plain = conv2d(two, weights);
    ASSERT_EQ(floats(y), of_one);
    ASSERT_EQ(floats(z), of_two);
    ASSERT_EQ(floats(plain), of_two);
  }
}

TEST_P(GraphMemoryTest, E1_AReplayOutOfOrderIsNotSilent) {
  const Tensor x = full({4096}, 1.0, kFloat32).to(place());
  const Tensor k = full({4096}, 5.0, kFloat32).to(place());
  Graph first(place());
  first.capture_begin();
  Tensor y = x + x;
  for (int i = 0; i < 4; ++i) y = y * x;  // temporaries, whose memory the second one gets
  first.capture_end();
  Graph second(place(), CaptureMode::kThreadLocal, first.pool());
  second.capture_begin();
  const Tensor z = k + x;
  const Tensor w = k * k;
  second.capture_end();
  first.replay();
  second.replay();
  EXPECT_EQ(floats(y).back(), 2);
  EXPECT_EQ(floats(z).back(), 6);
  first.replay();  // overwrites what of the second one lies where its temporaries are
  int refused = 0;
  for (const Tensor& output : {z, w}) {
    try {
      const float value = floats(output).back();
      EXPECT_EQ(value, output.impl() == z.impl() ? 6 : 25);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("has overwritten it"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  second.replay();
  EXPECT_EQ(floats(z).back(), 6);
  EXPECT_EQ(floats(w).back(), 25);
}

// Replays that share memory wait for work under way, and for readers of what they overwrite.
TEST_P(GraphMemoryTest, E1_IsOrderedWithWorkUnderWay) {
  constexpr std::int64_t kMany = 1 << 16;
  const Tensor x = full({kMany}, 1.0, kFloat32).to(place());
  Graph first(place());
  first.capture_begin();
  Tensor y = x + x;
  for (int i = 0; i < 20; ++i) y = y * x;
  first.capture_end();
  Graph second(place(), CaptureMode::kThreadLocal, first.pool());
  second.capture_begin();
  const Tensor z = x + full({kMany}, 4.0, kFloat32).to(place());
  second.capture_end();
  const Stream side(place());
  for (int i = 0; i < 10; ++i) {
    first.replay();
    second.replay();
    Tensor read;
    {
      const StreamGuard guard(side);
      read = z + z;
    }
    first.replay();
    EXPECT_EQ(floats(read).back(), 10) << "it was enqueued before";
    try {
      EXPECT_EQ(floats(z).back(), 5);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("has overwritten it"));
    }
  }
}

TEST_P(GraphMemoryTest, E2_ALiveOutputIsNeverGivenToAnother) {
  const Tensor x = full({4096}, 1.0, kFloat32).to(place());
  Graph first(place());
  first.capture_begin();
  const Tensor y = x + x;
  first.capture_end();
  first.replay();
  Graph second(place(), CaptureMode::kThreadLocal, first.pool());
  second.capture_begin();
  Tensor z = y * y;
  for (int i = 0; i < 8; ++i) z = z + x;
  second.capture_end();
  second.replay();
  EXPECT_EQ(floats(y).back(), 2);
  EXPECT_EQ(floats(z).back(), 12);
  EXPECT_EQ(first.pool(), second.pool());
}

TEST(ExtentsTest, AreJoinedWhereTheyMeet) {
  const std::vector<Extent> joined =
      united({{nullptr, 64, 64}, {nullptr, 0, 64}, {nullptr, 256, 32}, {nullptr, 260, 4}, {}});
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[0].begin, 0U);
  EXPECT_EQ(joined[0].bytes, 128U);
  EXPECT_EQ(joined[1].bytes, 32U);
  EXPECT_TRUE(meet(joined, {nullptr, 127, 1}));
  EXPECT_TRUE(meet(joined, {nullptr, 100, 1000}));
  EXPECT_FALSE(meet(joined, {nullptr, 128, 128}));
  EXPECT_FALSE(meet(joined, {nullptr, 288, 8}));
  EXPECT_FALSE(meet(joined, {nullptr, 0, 0}));
}

}  // namespace
}  // namespace loci::capture
