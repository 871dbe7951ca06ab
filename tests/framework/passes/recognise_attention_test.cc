#include <functional>
#include <limits>

#include "tests/framework/passes/recognition_fixture.h"

namespace loci::passes {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

constexpr double kFactor = 0.35;
// So many that two matrices of scores are worth it.
constexpr std::int64_t kQueries = 1500;
constexpr std::int64_t kKeys = 1400;

Variable parted(const Variable& x, std::int64_t heads) {
  const std::int64_t width = x.shape()[2] / heads;
  return transpose(reshape(x, {0, 0, heads, width}), {0, 2, 1, 3});
}
Variable joined(const Variable& x) {
  return reshape(transpose(x, {0, 2, 1, 3}), {0, 0, x.shape()[1] * x.shape()[3]});
}
Variable by_keys(const Variable& queries, const Variable& keys) {
  return matmul(queries, keys, false, true);
}

class RecogniseAttentionTest : public RecognitionTest {
 protected:
  void expect_none(const std::vector<Variable>& fetches) {
    recognise(fetches);
    EXPECT_THAT(types(), Not(Contains("attention")));
  }
  void expect_attention(const Variable& out, std::int64_t heads, double factor) {
    recognise({out});
    EXPECT_THAT(left(), ElementsAre("attention"));
    EXPECT_EQ(std::get<std::int64_t>(last().attributes.at("heads")), heads);
    EXPECT_NEAR(std::get<double>(last().attributes.at("factor")), factor, 1e-12);
    EXPECT_EQ(input_name(0), "q");
    EXPECT_EQ(input_name(1), "k");
    EXPECT_EQ(input_name(2), "v");
    EXPECT_EQ(last().outputs[0][0], out.id());
  }

  Variable q_ = data("q", {2, kQueries, 12}, kFloat32);
  Variable k_ = data("k", {2, kKeys, 12}, kFloat32);
  Variable v_ = data("v", {2, kKeys, 15}, kFloat32);
  Feed feed_{{"q", random_tensor({2, kQueries, 12}, 1)},
             {"k", random_tensor({2, kKeys, 12}, 2)},
             {"v", random_tensor({2, kKeys, 15}, 3)}};
};

using ScoreForm = std::function<Variable(const Variable& q, const Variable& k)>;

// Each gives [.., queries, keys] from [.., length, width].
const std::vector<ScoreForm>& score_forms() {
  static const std::vector<ScoreForm> kForms = {
      [](const Variable& q, const Variable& k) { return by_keys(q, k) * kFactor; },
      [](const Variable& q, const Variable& k) { return by_keys(q * kFactor, k); },
      [](const Variable& q, const Variable& k) { return by_keys(q * 0.5, k * 0.7); },
      [](const Variable& q, const Variable& k) { return by_keys(q, k) / (1 / kFactor); },
      [](const Variable& q, const Variable& k) {
        return fill_constant({1}, kFactor) * by_keys(q, k);
      },
      [](const Variable& q, const Variable& k) {
        const bool is_single = k.shape().rank() == 3;
        return matmul(q, transpose(k, is_single ? std::vector<std::int64_t>{0, 2, 1}
                                                : std::vector<std::int64_t>{0, 1, 3, -2})) *
               kFactor;
      },
  };
  return kForms;
}

class ScoreFormTest : public RecogniseAttentionTest, public ::testing::WithParamInterface<int> {
 protected:
  [[nodiscard]] const ScoreForm& form() const {
    return score_forms()[static_cast<std::size_t>(GetParam())];
  }
};

TEST_P(ScoreFormTest, OfASingleHead) {
  const Variable out = matmul(softmax(form()(q_, k_)), v_);
  expect_same_values(feed_, {out});
  expect_attention(out, 1, kFactor);
}

TEST_P(ScoreFormTest, OfHeadsThatAreParted) {
  const Variable scores = form()(parted(q_, 3), parted(k_, 3));
  const Variable out = joined(matmul(softmax(scores, 3), parted(v_, 3)));
  expect_same_values(feed_, {out});
  expect_attention(out, 3, kFactor);
}

INSTANTIATE_TEST_SUITE_P(All, ScoreFormTest,
                         ::testing::Range(0, static_cast<int>(score_forms().size())));

TEST_F(RecogniseAttentionTest, TakesASoftmaxThatIsWrittenOut) {
  const Variable scores = by_keys(parted(q_, 3), parted(k_, 3));
  const Variable powers = exp(scores - reduce_max(scores, {-1}, true));
  const Variable out = joined(matmul(powers / reduce_sum(powers, {-1}, true), parted(v_, 3)));
  expect_same_values(feed_, {out});
  expect_attention(out, 3, 1.0);
}

// The keys come with their last two dimensions swapped in one step.
TEST_F(RecogniseAttentionTest, TakesKeysThatAreTransposedOnce) {
  const Variable keys = transpose(reshape(k_, {0, 0, 3, 4}), {0, 2, 3, 1});
  const Variable out =
      joined(matmul(softmax(matmul(parted(q_, 3), keys) * kFactor), parted(v_, 3)));
  expect_same_values(feed_, {out});
  expect_attention(out, 3, kFactor);
}

class MaskTest : public RecogniseAttentionTest, public ::testing::WithParamInterface<Shape> {};

TEST_P(MaskTest, IsAddedToTheScores) {
  const Variable mask = data("mask", GetParam(), kFloat32);
  feed_.emplace_back("mask", random_tensor(GetParam(), 4));
  const Variable scores = by_keys(parted(q_, 3), parted(k_, 3)) * kFactor;
  const Variable out = joined(matmul(softmax(mask + scores), parted(v_, 3)));
  expect_same_values(feed_, {out});
  expect_attention(out, 3, kFactor);
  EXPECT_EQ(input_name(3), "mask");
}

INSTANTIATE_TEST_SUITE_P(All, MaskTest,
                         ::testing::Values(Shape{1, 3, kQueries, 1}, Shape{2, 1, 1, kKeys},
                                           Shape{kQueries, kKeys}, Shape{kKeys}, Shape{3, 1, 1}));

TEST_F(RecogniseAttentionTest, AMaskOfASingleHead) {
  const Variable mask = data("mask", {kQueries, kKeys}, kFloat32);
  feed_.emplace_back("mask", random_tensor({kQueries, kKeys}, 4));
  const Variable out = matmul(softmax(by_keys(q_, k_) + mask), v_);
  expect_same_values(feed_, {out});
  expect_attention(out, 1, 1.0);
  EXPECT_FALSE(std::get<bool>(last().attributes.at("zero_hidden"))) << "NaN, as of the softmax";
}

// Each query sees the keys up to its own place.
TEST_F(RecogniseAttentionTest, AMaskMayHideKeys) {
  std::vector<float> hidden(static_cast<std::size_t>(kQueries * kKeys));
  for (std::int64_t i = 0; i < kQueries * kKeys; ++i) {
    const bool is_seen = i % kKeys <= i / kKeys;
    hidden[static_cast<std::size_t>(i)] = is_seen ? 0 : -std::numeric_limits<float>::infinity();
  }
  const Variable mask = data("mask", {kQueries, kKeys}, kFloat32);
  feed_.emplace_back("mask", Tensor::from<float>(hidden, {kQueries, kKeys}));
  const Variable out = matmul(softmax(by_keys(q_, k_) * kFactor + mask), v_);
  expect_same_values(feed_, {out});
  expect_attention(out, 1, kFactor);
}

// The attention op would take such a mask as one for each head.
TEST_F(RecogniseAttentionTest, AMaskForEachMatrixOfTheBatchStays) {
  const Variable mask = data("mask", {2, kQueries, kKeys}, kFloat32);
  expect_none({matmul(softmax(by_keys(q_, k_) + mask), v_)});
}

TEST_F(RecogniseAttentionTest, AMaskThatIsScaledOrRepeatsTheScoresStays) {
  const Variable mask = data("mask", {kQueries, kKeys}, kFloat32);
  const Variable more = data("more", {4, kQueries, kKeys}, kFloat32);
  const Variable one = data("one", {1, kQueries, 12}, kFloat32);
  const Variable wide = data("wide", {4, kKeys, 15}, kFloat32);
  const Variable two = data("two", {1, kKeys, 12}, kFloat32);
  expect_none({matmul(softmax((by_keys(q_, k_) + mask) * kFactor), v_),
               matmul(softmax(by_keys(one, two) + more), wide)});
}

TEST_F(RecogniseAttentionTest, BatchesAreNotRepeated) {
  const Variable one = data("one", {1, kKeys, 12}, kFloat32);
  const Variable flat = data("flat", {kKeys, 12}, kFloat32);
  expect_none({matmul(softmax(by_keys(q_, one)), v_), matmul(softmax(by_keys(q_, flat)), v_)});
}

TEST_F(RecogniseAttentionTest, OtherLayoutsOfHeadsStay) {
  const auto swapped = [](const Variable& x) {
    return transpose(reshape(x, {0, 0, x.shape()[2] / 3, 3}), {0, 3, 1, 2});
  };
  const Variable q = data("heads", {2, 3, kQueries, 4}, kFloat32);
  const Variable scores = softmax(by_keys(parted(q_, 3), parted(k_, 3)));
  expect_none({joined(matmul(softmax(by_keys(swapped(q_), swapped(k_))), swapped(v_))),
               joined(matmul(softmax(by_keys(q, parted(k_, 3))), parted(v_, 3))),
               matmul(scores, parted(v_, 3)), reshape(matmul(scores, parted(v_, 3)), {0, 0, -1})});
}

TEST_F(RecogniseAttentionTest, ValuesOfOneHeadAreNotRepeated) {
  const Variable weights = softmax(by_keys(parted(q_, 3), parted(k_, 3)));
  expect_none({joined(matmul(weights, parted(v_, 1)))});
}

TEST_F(RecogniseAttentionTest, SoftmaxesOfOtherDimensionsStay) {
  expect_none({matmul(softmax(by_keys(q_, k_), 1), v_), matmul(softmax(by_keys(q_, k_), 0), v_)});
}

TEST_F(RecogniseAttentionTest, OtherProductsStay) {
  const Variable square = data("square", {2, 3000, 3000}, kFloat32);
  expect_none({matmul(softmax(matmul(square, square, true, true)), square, true),
               matmul(square, softmax(by_keys(square, square))),
               matmul(softmax(0.0 * by_keys(square, square)), square)});
}

TEST_F(RecogniseAttentionTest, WeightsThatAreFetchedOrReadStay) {
  const Variable fetched = softmax(by_keys(q_, k_));
  const Variable read = softmax(2.0 * by_keys(q_, k_));
  expect_none({matmul(fetched, v_), fetched, matmul(read, v_), reduce_sum(read)});
}

TEST_F(RecogniseAttentionTest, FewScoresStayOnTheHost) {
  const auto attended = [](const Variable& x) { return matmul(softmax(by_keys(x, x)), x); };
  const Variable out = attended(data("few", {1, 2047, 8}, kFloat32));
  const Variable enough = attended(data("enough", {1, 2048, 8}, kFloat32));
  recognise({out, enough});
  EXPECT_THAT(types(), ElementsAre("matmul", "softmax", "matmul", "attention"));
}

TEST_F(RecogniseAttentionTest, FewScoresAreADevicesToo) {
  const Variable few = data("few", {1, 16, 8}, kFloat32);
  is_host_ = false;
  recognise({matmul(softmax(by_keys(few, few)), few)});
  EXPECT_THAT(left(), ElementsAre("attention"));
}

TEST_F(RecogniseAttentionTest, UnknownExtentsStay) {
  const Variable x = data("unknown", {-1, 3000, 12}, kFloat32);
  expect_none({matmul(softmax(by_keys(x, x)), x)});
}

}  // namespace
}  // namespace loci::passes
