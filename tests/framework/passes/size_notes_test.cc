#include "framework/passes/size_notes.h"

#include <loci/control_flow.hpp>

#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

// The notes are those of a sum of x and y, which may broadcast.
class SizeNotesTest : public PassTest {
 protected:
  SizeNotesTest() { fold(); }

  // Folds as if the data had those shapes.
  void fold() {
    notes_ = SizeNotes();
    PassContext with_notes = context({sum_});
    with_notes.sizes = &notes_;
    run_pass("constant_folding", block(), with_notes);
  }
  [[nodiscard]] bool serves(const Shape& x, const Shape& y) const {
    return notes_.types_if_alike({{x_.id(), x}, {y_.id(), y}}).has_value();
  }

  [[nodiscard]] Shape sum_shape(const Shape& x, const Shape& y) const {
    const auto types = notes_.types_if_alike({{x_.id(), x}, {y_.id(), y}});
    return types.value().at(static_cast<std::size_t>(sum_.id())).shape;
  }

  Variable x_ = data("x", {8, 5}, kFloat32);
  Variable y_ = data("y", {6, 8, 5}, kFloat32);
  Variable sum_ = x_ + y_;
  SizeNotes notes_;
};

TEST_F(SizeNotesTest, OthersServeWhereEqualExtentsStayEqualAndDifferentOnesDifferent) {
  EXPECT_TRUE(serves({8, 5}, {6, 8, 5}));
  EXPECT_TRUE(serves({80, 50}, {60, 80, 50}));
  EXPECT_EQ(sum_shape({80, 50}, {60, 80, 50}), (Shape{60, 80, 50}));
  EXPECT_TRUE(serves({5, 8}, {7, 5, 8}));
  EXPECT_FALSE(serves({8, 8}, {6, 8, 8}));
  EXPECT_FALSE(serves({8, 5}, {8, 8, 5}));
  EXPECT_FALSE(serves({8, 5}, {5, 8, 5}));
}

TEST_F(SizeNotesTest, WhatBroadcastsAndWhatIsEmptyStaysSo) {
  EXPECT_FALSE(serves({1, 5}, {6, 8, 5}));
  EXPECT_FALSE(serves({8, 1}, {6, 8, 5}));
  EXPECT_FALSE(serves({8, 5}, {0, 8, 5}));
  EXPECT_FALSE(serves({8, 5}, {1, 8, 5}));
  EXPECT_FALSE(serves({8, 5}, {8, 5}));
}

TEST_F(SizeNotesTest, ShapesThatDoNotFitAreForThePassesToRefuse) {
  EXPECT_FALSE(serves({7, 5}, {6, 8, 5}));
}

TEST_F(SizeNotesTest, AFixedShapeStays) {
  notes_.only_for(x_.id());
  EXPECT_TRUE(serves({8, 5}, {7, 8, 5}));
  EXPECT_FALSE(serves({9, 5}, {6, 9, 5}));
}

TEST_F(SizeNotesTest, AFixedExtentStays) {
  notes_.only_for_extent(sum_.id(), 2);
  EXPECT_TRUE(serves({9, 5}, {7, 9, 5}));
  EXPECT_FALSE(serves({8, 4}, {6, 8, 4}));
}

TEST_F(SizeNotesTest, AComparedNumberOfElementsStaysOnItsSide) {
  EXPECT_TRUE(is_below(&notes_, x_.id(), Shape{8, 5}, 41));
  EXPECT_FALSE(is_below(&notes_, sum_.id(), Shape{6, 8, 5}, 240));
  EXPECT_TRUE(serves({8, 5}, {7, 8, 5}));
  EXPECT_FALSE(serves({9, 5}, {7, 9, 5}));
  EXPECT_FALSE(serves({7, 5}, {6, 7, 5}));
}

// The types of what passes add are not followed.
TEST_F(SizeNotesTest, WhatWasSaidOfAVariableThatCameLaterHoldsForNoSize) {
  notes_.only_for(static_cast<program::VarId>(block().vars.size()));
  EXPECT_FALSE(serves({8, 5}, {6, 8, 5}));
}

TEST_F(SizeNotesTest, WhatComesOfAShapeFixesIt) {
  block().ops.clear();
  sum_ = loci::shape(x_) + loci::shape(x_);
  fold();
  EXPECT_TRUE(serves({8, 5}, {6, 8, 5}));
  EXPECT_FALSE(serves({9, 5}, {6, 9, 5}));
}

// 4,096 bytes are folded, and no more.
TEST_F(SizeNotesTest, WhatIsFoldedBecauseItIsSmallIsSoOnlyThere) {
  const auto folded_at = [&](std::int64_t rows) {
    block().ops.clear();
    block().var(x_.id()).type.shape = Shape{rows, 4};
    sum_ = full_like(x_, 3.0);
    fold();
    return types().front() == "assign_value";
  };
  EXPECT_TRUE(folded_at(256));
  EXPECT_FALSE(serves({255, 4}, {6, 8, 5}));
  EXPECT_FALSE(folded_at(257));
  EXPECT_TRUE(serves({300, 4}, {6, 8, 5}));
  EXPECT_FALSE(serves({256, 4}, {6, 8, 5}));
}

TEST_F(SizeNotesTest, ControlFlowServesNoOtherSize) {
  block().ops.clear();
  sum_ = cond(
      data("p", {1}, kBool), [&] { return relu(x_); }, [&] { return x_; });
  fold();
  EXPECT_FALSE(notes_.is_complete());
  EXPECT_FALSE(serves({8, 5}, {6, 8, 5}));
}

TEST(NoSizeNotesTest, NobodyNeedsToTakeNotes) {
  EXPECT_FALSE(SizeNotes().types_if_alike({}).has_value());
  note_only_for(nullptr, 3);
  EXPECT_TRUE(is_below(nullptr, 3, Shape{2, 2}, 5));
  EXPECT_FALSE(is_below(nullptr, 3, Shape{2, 2}, 4));
}

}  // namespace
}  // namespace loci::passes
