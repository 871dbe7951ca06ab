#include "framework/eager/beside_captures.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;

class BesideCapturesTest : public EagerTest {};

TEST_F(BesideCapturesTest, WhatIsMadeIsMadeOnce) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Tensor x = full({2}, 3.0, kFloat32, place);
    const Stream stream{Place(place)};
    const StreamGuard of_user(stream);
    Graph graph{Place(place)};
    graph.capture_begin();
    Tensor count;
    Tensor again;
    {
      const BesideCaptures once(x);
      count = full({2}, 1.0, kFloat32, place);
    }
    again = full({2}, 1.0, kFloat32, place);
    count.add_(x);
    again.add_(x);
    graph.capture_end();
    EXPECT_THAT(count.to_vector<float>(), ElementsAre(1, 1)) << "it is there before any replay";
    for (int i = 0; i < 3; ++i) graph.replay();
    EXPECT_THAT(count.to_vector<float>(), ElementsAre(10, 10));
    EXPECT_THAT(again.to_vector<float>(), ElementsAre(4, 4));
  }
}

TEST_F(BesideCapturesTest, ElsewhereStreamsStayAsTheyAre) {
  const Tensor x = full({2}, 3.0, kFloat32);
  const Stream stream{Place("cpu")};
  const StreamGuard guard(stream);
  const BesideCaptures once(x);
  EXPECT_THAT(thread_state().streams, ElementsAre(stream.queue().get()));
}

}  // namespace
}  // namespace loci::eager
