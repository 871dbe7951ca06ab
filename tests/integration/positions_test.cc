// Elements and slices at positions, read and written: positions that are not there, updates that
// meet at one element, and gradients of gradients.
#include <fmt/format.h>

#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Floats = std::vector<float>;
using Positions = std::vector<std::int64_t>;

Tensor floats_at(const char* place, const Floats& values, const Shape& shape) {
  return Tensor::from<float>(values, shape).to(place);
}

Tensor positions_at(const char* place, const Positions& values, const Shape& shape) {
  return Tensor::from<std::int64_t>(values, shape).to(place);
}

class PositionsTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Tensor floats(const Floats& values, const Shape& shape) {
    return floats_at(GetParam(), values, shape);
  }
  static Tensor positions(const Positions& values, const Shape& shape) {
    return positions_at(GetParam(), values, shape);
  }
  static Tensor line(const Floats& values) {
    return floats(values, {static_cast<std::int64_t>(values.size())});
  }
  static Tensor line(const Positions& values) {
    return positions(values, {static_cast<std::int64_t>(values.size())});
  }
};

INSTANTIATE_TEST_SUITE_P(Places, PositionsTest, ::testing::Values("cpu", "sim:0"),
                         [](const auto& info) { return std::string(info.param).substr(0, 3); });

TEST_P(PositionsTest, NamesThePositionThatIsNotThere) {
  const Tensor x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  for (const std::int64_t wrong : {std::int64_t{3}, std::int64_t{-4}, std::int64_t{1} << 40}) {
    const Tensor index = positions({0, 1, -3, 2, wrong, 0}, {2, 3});
    const std::string told =
        fmt::format("the index at position 4 is {}; dimension 1 has positions [-3, 3)", wrong);
    EXPECT_THAT([&] { (void)gather(x, index, 1).to_vector<float>(); },
                ThrowsMessage<Error>(HasSubstr("[gather] " + told)));
    EXPECT_THAT([&] { (void)gather_elements(x, index, 1).to_vector<float>(); },
                ThrowsMessage<Error>(HasSubstr("[gather_elements] " + told)));
    EXPECT_THAT([&] { (void)scatter_elements(x, index, x, 1).to_vector<float>(); },
                ThrowsMessage<Error>(HasSubstr("[scatter_elements] " + told)));
    const Tensor tuples = positions({0, 1, 1, -3, 0, wrong}, {3, 2});
    const std::string of_tuple =
        fmt::format("the index at position 5 is {}; dimension 1 has positions [-3, 3)", wrong);
    EXPECT_THAT([&] { (void)gather_nd(x, tuples).to_vector<float>(); },
                ThrowsMessage<Error>(HasSubstr("[gather_nd] " + of_tuple)));
    const Tensor updates = line(Floats{1, 2, 3});
    EXPECT_THAT([&] { (void)scatter_nd(x, tuples, updates).to_vector<float>(); },
                ThrowsMessage<Error>(HasSubstr("[scatter_nd] " + of_tuple)));
  }
}

// Rows of one element, of a few and of more than a cache line are looked up in different ways.
TEST_P(PositionsTest, GatherCountsNegativePositionsFromTheEnd) {
  for (const std::int64_t width : {1, 3, 40}) {
    Floats values;
    for (std::int64_t i = 0; i < 4 * width; ++i) values.push_back(static_cast<float>(i));
    const Tensor x = floats(values, {4, width});
    x.set_requires_grad();
    const Positions plain = {3, 0, 2, 3, 3, 1, 0, 2, 3, 3};
    const Positions mixed = {-1, 0, -2, 3, -1, -3, -4, 2, 3, -1};
    const Tensor out = gather(x, line(mixed));
    EXPECT_EQ(out.to_vector<float>(), gather(x, line(plain)).to_vector<float>()) << width;
    reduce_sum(out * out).backward();
    Floats expected = values;
    const Floats times = {2, 1, 2, 5};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] *= 2 * times[i / static_cast<std::size_t>(width)];
    }
    EXPECT_EQ(x.grad().to_vector<float>(), expected) << width;
  }
}

// More positions than are sorted by comparing them, in tables side by side.
TEST_P(PositionsTest, GradientsOfManyGatheredPositionsAreThoseOfTheirRows) {
  Positions plain;
  Positions mixed;
  for (std::int64_t i = 0; i < 300; ++i) {
    plain.push_back(i * i % 7);
    mixed.push_back(i % 3 == 0 ? plain.back() : plain.back() - 7);
  }
  const auto gradient_by = [&](const Positions& index) {
    const Tensor x = reshape(floats(Floats(42, 1.0F), {42}), {2, 7, 3});
    x.set_requires_grad();
    const Tensor out = gather(x, line(index), 1);
    reduce_sum(out * out * reshape(cast(arange(0, 1800), kFloat32), {2, 300, 3}).to(GetParam()))
        .backward();
    return x.grad().to_vector<float>();
  };
  EXPECT_EQ(gradient_by(mixed), gradient_by(plain));
}

TEST_P(PositionsTest, GatherNamesAPositionOutsideOfItsGradientToo) {
  const Tensor x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  const auto gradient = [&](std::int64_t wrong) {
    return OpCall<Tensor>("gather_grad")
        .input("x", x)
        .input("index", line(Positions{-2, wrong}))
        .input("out_grad", x)
        .attr("axis", std::int64_t{0})
        .result()
        .to_vector<float>();
  };
  EXPECT_THAT(gradient(-1), ElementsAre(1, 2, 3, 4, 5, 6));
  for (const std::int64_t wrong : {2, -3}) {
    EXPECT_THAT(
        [&] { (void)gradient(wrong); },
        ThrowsMessage<Error>(HasSubstr(fmt::format(
            "[gather_grad] the index at position 1 is {}; dimension 0 has positions [-2, 2)",
            wrong))));
  }
}

// Extents beside one of 0 are not multiplied with anything.
TEST_P(PositionsTest, AnIndexWithoutElementsMayHaveAnyExtent) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 58;
  const Tensor x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor along = positions({}, {0, kHuge});
  const Tensor updates = floats({}, {0, kHuge});
  EXPECT_EQ(scatter_elements(x, along, updates, 1, "add").to_vector<float>(), x.to_vector<float>());
  x.set_requires_grad();
  const std::vector<Tensor> none = grad({reduce_sum(gather_elements(x, along, 1))}, {x});
  EXPECT_EQ(none[0].to_vector<float>(), Floats(6, 0.0F));
  const Tensor tuples = positions({}, {kHuge, kHuge, 0, 1});
  EXPECT_EQ(scatter_nd(x, tuples, floats({}, {kHuge, kHuge, 0, 3}), "max").to_vector<float>(),
            x.to_vector<float>());
  EXPECT_EQ(reduce_sum(floats({}, {kHuge, kHuge, 0})).item<float>(), 0);
}

TEST_P(PositionsTest, TheLastUpdateOfAnElementStays) {
  const Tensor x = line(Floats{1, 2, 3, 4});
  const Tensor index = line(Positions{2, 0, -2, 2});
  const Tensor updates = line(Floats{5, 6, 7, 8});
  EXPECT_THAT(scatter_elements(x, index, updates).to_vector<float>(), ElementsAre(6, 2, 8, 4));
  const Tensor tuples = reshape(index, {4, 1});
  EXPECT_THAT(scatter_nd(x, tuples, updates).to_vector<float>(), ElementsAre(6, 2, 8, 4));
}

// 2048 is followed by 2050 in float16: updates of 1 that are rounded one by one are lost.
TEST_P(PositionsTest, HalvesAreRoundedOnce) {
  const Tensor x = cast(line(Floats{2048, 0}), kFloat16);
  const Tensor ones = cast(line(Floats{1, 1, 1, 1}), kFloat16);
  const Tensor index = line(Positions{0, 0, 0, 0});
  const auto sum = [](const Tensor& result) { return cast(result, kFloat32).to_vector<float>(); };
  EXPECT_THAT(sum(scatter_elements(x, index, ones, 0, "add")), ElementsAre(2052, 0));
  EXPECT_THAT(sum(scatter_nd(x, reshape(index, {4, 1}), ones, "add")), ElementsAre(2052, 0));
}

TEST_P(PositionsTest, UpdatesThatAreOverwrittenHaveNoGradient) {
  for (const bool by_tuples : {false, true}) {
    const Tensor x = line(Floats{1, 2, 3, 4});
    const Tensor updates = line(Floats{5, 6, 7, 8});
    x.set_requires_grad();
    updates.set_requires_grad();
    const Tensor index = line(Positions{2, 0, -2, 2});
    const Tensor out = by_tuples ? scatter_nd(x, reshape(index, {4, 1}), updates)
                                 : scatter_elements(x, index, updates);
    reduce_sum(out * line(Floats{10, 20, 30, 40})).backward();
    EXPECT_THAT(x.grad().to_vector<float>(), ElementsAre(0, 20, 0, 40)) << by_tuples;
    EXPECT_THAT(updates.grad().to_vector<float>(), ElementsAre(0, 10, 0, 30)) << by_tuples;
  }
}

TEST_P(PositionsTest, EqualExtremesShareAGradient) {
  for (const bool by_tuples : {false, true}) {
    const Tensor x = line(Floats{5, 2, 3});
    const Tensor updates = line(Floats{5, 1, 4, 4});
    x.set_requires_grad();
    updates.set_requires_grad();
    const Tensor index = line(Positions{0, 1, 2, 2});
    const Tensor out = by_tuples ? scatter_nd(x, reshape(index, {4, 1}), updates, "max")
                                 : scatter_elements(x, index, updates, 0, "max");
    EXPECT_THAT(out.to_vector<float>(), ElementsAre(5, 2, 4));
    reduce_sum(out * line(Floats{10, 20, 30})).backward();
    EXPECT_THAT(x.grad().to_vector<float>(), ElementsAre(5, 20, 0)) << by_tuples;
    EXPECT_THAT(updates.grad().to_vector<float>(), ElementsAre(5, 0, 15, 15)) << by_tuples;
  }
}

// There are more of them than float16 has numbers for.
TEST_P(PositionsTest, ManyEqualExtremesOfHalvesShareAGradient) {
  constexpr std::int64_t kCount = 70'000;
  for (const DType dtype : {kFloat16, kBFloat16}) {
    const Tensor x = cast(line(Floats{0, 0}), dtype);
    const Tensor updates = full({kCount}, 0.0, dtype, GetParam());
    x.set_requires_grad();
    updates.set_requires_grad();
    const Tensor index = full({kCount}, 0.0, kInt64, GetParam());
    const auto sum_of_gradients = [&](const Tensor& out) {
      const std::vector<Tensor> parts = grad({reduce_sum(scale(out, 1000.0))}, {updates});
      return reduce_sum(cast(parts[0], kFloat32)).item<float>();
    };
    EXPECT_NEAR(sum_of_gradients(scatter_elements(x, index, updates, 0, "max")), 1000, 2);
    EXPECT_NEAR(sum_of_gradients(scatter_nd(x, reshape(index, {kCount, 1}), updates, "min")), 1000,
                2);
  }
}

TEST_P(PositionsTest, AProductOfUpdatesSaysThatItHasNoGradient) {
  const Tensor x = line(Floats{1, 2});
  const Tensor updates = line(Floats{3});
  updates.set_requires_grad();
  EXPECT_THAT(
      [&] { reduce_sum(scatter_elements(x, line(Positions{0}), updates, 0, "mul")).backward(); },
      ThrowsMessage<Error>(HasSubstr("[scatter_elements] its gradient is not supported")));
}

// With y = what is gathered, sum(y^3) has the gradient dx = 3 y^2, summed at the positions of x;
// that of sum(dx^2) is 2 dx * 6 x, times how often the element is read.
TEST_P(PositionsTest, GradientsAreDifferentiatedAgain) {
  using Take = std::function<Tensor(const Tensor&)>;
  const Tensor index = line(Positions{1, 1, -1});
  const Take takes[] = {[&](const Tensor& x) { return gather_elements(x, index); },
                        [&](const Tensor& x) {
                          return gather_nd(x, reshape(index, {3, 1}));
                        }};
  for (const Take& take : takes) {
    const Tensor x = line(Floats{1, 2, 3});
    x.set_requires_grad();
    const Tensor y = take(x);
    const std::vector<Tensor> first = grad({reduce_sum(y * y * y)}, {x}, {}, false, true);
    EXPECT_THAT(first[0].to_vector<float>(), ElementsAre(0, 24, 27));
    reduce_sum(first[0] * first[0]).backward();
    EXPECT_THAT(x.grad().to_vector<float>(), ElementsAre(0, 2 * 24 * 24, 2 * 27 * 18));
  }
}

TEST_P(PositionsTest, GradientsOfWhatIsWrittenAreDifferentiatedAgain) {
  const Tensor x = line(Floats{1, 2, 3});
  const Tensor updates = line(Floats{4, 5, 6});
  updates.set_requires_grad();
  const Tensor out = scatter_elements(x, line(Positions{1, 0, 1}), updates);
  const std::vector<Tensor> first = grad({reduce_sum(out * out * out)}, {updates}, {}, false, true);
  EXPECT_THAT(first[0].to_vector<float>(), ElementsAre(0, 75, 108));
  reduce_sum(first[0]).backward();
  EXPECT_THAT(updates.grad().to_vector<float>(), ElementsAre(0, 30, 36));
}

// Results hang on no thread: each line, or slice, belongs to one.
TEST_P(PositionsTest, AnyNumberOfThreadsGivesTheSameBits) {
  constexpr std::int64_t kRows = 64;
  constexpr std::int64_t kColumns = 500;
  Floats values;
  Positions index;
  Positions rows;
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    values.push_back(1.0F / static_cast<float>(1 + i));
    index.push_back(i * i % 7);
  }
  for (std::int64_t i = 0; i < kRows; ++i) rows.push_back(i * i % 5);
  const Tensor x = floats(values, {kRows, kColumns});
  const auto results = [&] {
    Floats all =
        scatter_elements(x, positions(index, {kRows, kColumns}), x, 0, "add").to_vector<float>();
    const Floats slices = scatter_nd(x, positions(rows, {kRows, 1}), x, "add").to_vector<float>();
    all.insert(all.end(), slices.begin(), slices.end());
    return all;
  };
  const int before = config::threads();
  config::set_threads(1);
  const Floats one = results();
  for (const int threads : {2, 3, 8}) {
    config::set_threads(threads);
    EXPECT_EQ(results(), one) << threads;
  }
  config::set_threads(before);
}

}  // namespace
}  // namespace loci
