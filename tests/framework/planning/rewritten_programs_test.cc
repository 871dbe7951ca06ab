#include "framework/planning/rewritten_programs.h"

#include <functional>
#include <loci/control_flow.hpp>

#include "framework/planning/specialization.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// All that a plan takes from a program.
std::string text_of(const program::ProgramImpl& program) {
  const program::Block& block = program.main();
  std::string text;
  const auto add = [&](const std::vector<program::Slot>& slots) {
    for (const program::Slot& slot : slots) {
      text += " (";
      for (const program::VarId id : slot) text += " " + block.var(id).name;
      text += " )";
    }
  };
  for (const program::Operator& op : block.ops) {
    text += op.type() + " " + op.name;
    add(op.inputs);
    text += " ->";
    add(op.outputs);
    for (const auto& [name, value] : op.attributes) text += " " + name + "=" + to_string(value);
    text += "\n";
  }
  return text;
}

class RewrittenProgramsTest : public executor::ProgramsTest {
 protected:
  PlanRequest request_for(const std::vector<Shape>& shapes) {
    PlanRequest request;
    request.program = main_.impl();
    request.fetches = {out_.name()};
    request.device = &device_at("cpu");
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      request.feeds.push_back(feed_of("x" + std::to_string(i), shapes[i]));
    }
    return request;
  }
  // Returns true if what was made before served; it is what the passes make in any case.
  bool serves(const std::vector<Shape>& shapes) {
    PlanRequest request = request_for(shapes);
    const Specialized fresh = specialize(request);
    EXPECT_FALSE(fresh.is_shared);
    request.rewritten = &rewritten_;
    const Specialized made = specialize(request);
    EXPECT_EQ(text_of(*made.program), text_of(*fresh.program)) << shapes.front().to_string();
    return made.is_shared;
  }
  Variable x(const Shape& declared) {
    return data("x" + std::to_string(given_++), declared, kFloat32);
  }

  RewrittenPrograms rewritten_;
  Variable out_;
  int given_ = 0;
};

TEST_F(RewrittenProgramsTest, OneIsMadeForManySizes) {
  out_ = relu(layers::fc(relu(layers::fc(x({-1, 64}), 32)), 10));
  EXPECT_FALSE(serves({{3, 64}}));
  for (const std::int64_t rows : {2, 4, 9, 31, 33, 63, 65, 5000}) {
    EXPECT_TRUE(serves({{rows, 64}})) << rows;
  }
  EXPECT_EQ(rewritten_.size(), 1U);
  // Equal to an extent of a weight, one, none: each for itself.
  for (const std::int64_t rows : {64, 32, 10, 1, 0}) {
    EXPECT_FALSE(serves({{rows, 64}})) << rows;
    EXPECT_TRUE(serves({{rows, 64}})) << rows;
  }
}

// The sum is a chain of one shape, or not.
TEST_F(RewrittenProgramsTest, BroadcastingParts) {
  out_ = relu(tanh(x({-1, 4})) + relu(x({-1, 4})));
  EXPECT_FALSE(serves({{7, 4}, {7, 4}}));
  EXPECT_TRUE(serves({{8, 4}, {8, 4}}));
  EXPECT_FALSE(serves({{8, 4}, {1, 4}}));
  EXPECT_TRUE(serves({{9, 4}, {1, 4}}));
  EXPECT_FALSE(serves({{1, 4}, {9, 4}}));
  EXPECT_FALSE(serves({{1, 4}, {1, 4}}));
  EXPECT_FALSE(serves({{0, 4}, {0, 4}}));
  EXPECT_TRUE(serves({{6, 4}, {6, 4}}));
}

// A residual is added within a product where it has the product's shape.
TEST_F(RewrittenProgramsTest, ResidualsOfOneShape) {
  const Variable in = x({-1, 16});
  out_ = layers::fc(in, 16) + x({-1, -1});
  EXPECT_FALSE(serves({{5, 16}, {5, 16}}));
  EXPECT_TRUE(serves({{6, 16}, {6, 16}}));
  EXPECT_FALSE(serves({{6, 16}, {6, 1}}));
  EXPECT_FALSE(serves({{6, 16}, {1, 16}}));
}

// A slice takes all of what is short, and a part of what is long.
TEST_F(RewrittenProgramsTest, SlicesOfAllAndOfParts) {
  out_ = relu(slice(x({-1, 4}), {0}, {0}, {6}));
  EXPECT_FALSE(serves({{5, 4}}));
  EXPECT_TRUE(serves({{3, 4}}));
  EXPECT_TRUE(serves({{6, 4}}));
  EXPECT_FALSE(serves({{7, 4}}));
  EXPECT_TRUE(serves({{8, 4}}));
  EXPECT_FALSE(serves({{4, 4}}));
}

// The extents that reshapes in a row copy become part of the program.
TEST_F(RewrittenProgramsTest, ReshapesThatCopyExtents) {
  out_ = relu(reshape(reshape(x({-1, 3, 4}), {0, 12}), {0, 3, 4, 1}));
  for (const std::int64_t rows : {5, 6, 7, 1}) EXPECT_FALSE(serves({{rows, 3, 4}})) << rows;
  EXPECT_TRUE(serves({{5, 3, 4}}));
}

TEST_F(RewrittenProgramsTest, ShapesThatAreComputedWith) {
  const Variable in = x({-1, 4});
  out_ = expand(x({1, 4}), loci::shape(in)) * full_like(in, 2.0);
  for (const std::int64_t rows : {5, 6, 255, 257, 300}) {
    EXPECT_FALSE(serves({{rows, 4}, {1, 4}})) << rows;
    EXPECT_TRUE(serves({{rows, 4}, {1, 4}})) << rows;
  }
}

// Attention is recognised where there are 4,194,304 scores, and knows how many heads it has.
TEST_F(RewrittenProgramsTest, AttentionOfManyScores) {
  const Variable q = x({1, -1, 64});
  const auto parted = [](const Variable& rows) {
    return transpose(reshape(rows, {0, 0, 4, 16}), {0, 2, 1, 3});
  };
  const Variable scores = matmul(parted(q), parted(q), false, true) * 0.25;
  out_ = reshape(transpose(matmul(softmax(scores), parted(q)), {0, 2, 1, 3}), {0, 0, 64});
  EXPECT_FALSE(serves({{1, 1000, 64}}));
  EXPECT_TRUE(serves({{1, 1023, 64}}));
  EXPECT_FALSE(serves({{1, 1024, 64}}));
  EXPECT_TRUE(serves({{1, 1025, 64}}));
  EXPECT_TRUE(serves({{1, 999, 64}}));
}

TEST_F(RewrittenProgramsTest, AChangedProgramIsRewrittenAnew) {
  out_ = relu(x({-1, 4}));
  EXPECT_FALSE(serves({{5, 4}}));
  out_ = tanh(out_);
  EXPECT_FALSE(serves({{6, 4}}));
  EXPECT_TRUE(serves({{7, 4}}));
  EXPECT_EQ(rewritten_.size(), 1U);
}

TEST_F(RewrittenProgramsTest, OtherFetchesAreOthersPrograms) {
  const Variable hidden = relu(x({-1, 4}));
  out_ = tanh(hidden);
  EXPECT_FALSE(serves({{5, 4}}));
  out_ = hidden;
  EXPECT_FALSE(serves({{5, 4}}));
}

TEST_F(RewrittenProgramsTest, NothingIsKeptWhereSizesAreFixedOrInControlFlow) {
  out_ = relu(x({3, 4}));
  EXPECT_FALSE(serves({{3, 4}}));
  EXPECT_FALSE(serves({{3, 4}}));
  const Variable in = x({-1, 4});
  out_ = cond(
      data("p", {1}, kBool), [&] { return relu(in); }, [&] { return in; });
  PlanRequest request = request_for({{3, 4}, {3, 4}});
  request.feeds.push_back(feed_of("p", {1}, kBool));
  request.rewritten = &rewritten_;
  EXPECT_FALSE(specialize(request).is_shared);
  EXPECT_FALSE(specialize(request).is_shared);
  EXPECT_EQ(rewritten_.size(), 0U);
}

TEST_F(RewrittenProgramsTest, AShapeThatDoesNotFitIsRefusedByTheOperatorThatMeetsIt) {
  out_ = relu(x({-1, 4}) + x({-1, 4}));
  EXPECT_FALSE(serves({{5, 4}, {5, 4}}));
  PlanRequest request = request_for({{5, 4}, {6, 4}});
  request.rewritten = &rewritten_;
  EXPECT_THAT([&] { (void)specialize(request); },
              ThrowsMessage<Error>(HasSubstr("[elementwise_add]")));
}

TEST_F(RewrittenProgramsTest, TheLongestUnusedGoes) {
  const Variable in = x({-1, 4});
  std::vector<Variable> outs;
  for (int i = 0; i < 20; ++i) outs.push_back(scale(in, 2.0 + i));
  for (const Variable& each : outs) {
    out_ = each;
    EXPECT_FALSE(serves({{5, 4}}));
    out_ = outs[0];
    EXPECT_TRUE(serves({{6, 4}}));
  }
  EXPECT_EQ(rewritten_.size(), 16U);
  out_ = outs[19];
  EXPECT_TRUE(serves({{7, 4}}));
  out_ = outs[1];
  EXPECT_FALSE(serves({{5, 4}}));
}

// Each takes memory, and large ones much.
TEST_F(RewrittenProgramsTest, OfLargeOnesTheLatestStays) {
  Variable value = x({-1, 4});
  std::vector<Variable> outs;
  for (int i = 0; i < 4200; ++i) {
    value = relu(value);
    if (i >= 4198) outs.push_back(value);
  }
  for (const Variable& each : outs) {
    out_ = each;
    EXPECT_FALSE(serves({{5, 4}}));
    EXPECT_TRUE(serves({{6, 4}}));
    EXPECT_EQ(rewritten_.size(), 1U);
  }
}

// Programs that the passes made for a size serve another, or do not. Kernels differ between sizes
// too.
TEST_F(RewrittenProgramsTest, NewSizesGiveTheBitsOfAFreshExecutor) {
  const Variable x = data("x", {-1, 3, -1, -1}, kFloat32);
  const Variable y = data("y", {-1, 8, -1, -1}, kFloat32);
  const Variable hidden = relu(layers::conv2d(x, 8, 3, {.paddings = {1, 1}}) + y);
  const Variable mean = reduce_mean(relu(layers::conv2d(hidden, 8, 3)), {2, 3});
  const Variable out = softmax(layers::fc(mean, 7));
  Executor("cpu", {}, scope_).run(startup_);
  Executor executor("cpu", {}, scope_);
  seed(3);
  for (const std::int64_t rows : {4, 5, 1, 2, 0, 3}) {
    for (const std::int64_t height : {6, 30, 8, 7}) {
      for (const Shape& added : {Shape{rows, 8, height, 6}, Shape{1, 8, 1, 1}}) {
        const Feed feed = {{"x", randn({rows, 3, height, 6})}, {"y", randn(added)}};
        Executor fresh("cpu", {}, scope_);
        EXPECT_EQ(executor.run(main_, feed, {out})[0].to_vector<float>(),
                  fresh.run(main_, feed, {out})[0].to_vector<float>())
            << rows << " " << height;
      }
    }
  }
}

}  // namespace
}  // namespace loci::planning
