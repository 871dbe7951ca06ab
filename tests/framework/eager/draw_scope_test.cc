#include "framework/eager/draw_scope.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using Floats = std::vector<float>;

class DrawScopeTest : public EagerTest {
 protected:
  DrawScopeTest() { seed(5); }
  static Floats draw(const Place& place = "cpu") {
    return floats(rand({8}, 0, 1, kFloat32, place));
  }
};

TEST_F(DrawScopeTest, TakesOneNumberWhateverIsDrawn) {
  draw();
  const Floats second = draw();
  seed(5);
  {
    const DrawScope scope;
    EXPECT_NE(draw(), draw());
    draw();
  }
  EXPECT_EQ(draw(), second);
  seed(5);
  { const DrawScope scope; }
  EXPECT_EQ(draw(), second);
}

TEST_F(DrawScopeTest, AnIterationDrawsItsOwnNumbersFromTheFirst) {
  DrawScope scope;
  scope.enter(0);
  const Floats zeroth = draw();
  scope.enter(1);
  const Floats first = draw();
  EXPECT_NE(first, zeroth);
  EXPECT_NE(draw(), first);
  scope.enter(0);
  EXPECT_EQ(draw(), zeroth);
}

TEST_F(DrawScopeTest, DrawsTheSameAtEveryPlace) {
  DrawScope scope;
  scope.enter(3);
  const Floats here = draw("cpu");
  scope.enter(3);
  EXPECT_EQ(draw("sim:0"), here);
}

TEST_F(DrawScopeTest, ScopesNest) {
  const auto nested = [](std::int64_t outer, std::int64_t inner) {
    seed(5);
    DrawScope around;
    around.enter(outer);
    DrawScope scope;
    scope.enter(inner);
    return draw();
  };
  EXPECT_EQ(nested(1, 2), nested(1, 2));
  EXPECT_NE(nested(1, 2), nested(2, 1));
  EXPECT_NE(nested(1, 2), nested(1, 1));
}

}  // namespace
}  // namespace loci::eager
