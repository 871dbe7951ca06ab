#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/op_options.hpp>
#include <vector>

namespace loci::sdk {
namespace {

using ::testing::ElementsAre;
using Integers = std::vector<std::int64_t>;

template <class Options>
Options read(const std::vector<loci_attr>& attributes) {
  return Options(AttributeReader("sample", attributes.data(), attributes.size()));
}

TEST(OpOptionsTest, ReductionsTellWhichAxesGo) {
  const Integers axes{-1, 0};
  const Integers dims{2, 3, 4};
  const auto some = read<ReduceOptions>({attribute_of("axes", axes)});
  EXPECT_THAT(some.reduced(3), ElementsAre(true, false, true));
  EXPECT_EQ(some.plan(dims).outputs(), 3);
  EXPECT_EQ(some.plan(dims).reduced_count(), 8);
  const Integers none;
  const auto all = read<ReduceOptions>({attribute_of("axes", none)});
  EXPECT_THAT(all.reduced(3), ElementsAre(true, true, true));
}

TEST(OpOptionsTest, RandomOpsTellTheirPlaceAndDistribution) {
  const std::vector<loci_attr> attributes{attribute_of("offset", 7), attribute_of("low", -1.5),
                                          attribute_of("high", 2.0), attribute_of("mean", 3.0),
                                          attribute_of("deviation", 0.5)};
  EXPECT_EQ(read_draw_offset(AttributeReader("sample", attributes.data(), attributes.size())), 7U);
  EXPECT_EQ(read<UniformOptions>(attributes).low, -1.5);
  EXPECT_EQ(read<UniformOptions>(attributes).high, 2.0);
  EXPECT_EQ(read<GaussianOptions>(attributes).mean, 3.0);
  EXPECT_EQ(read<GaussianOptions>(attributes).deviation, 0.5);
}

TEST(OpOptionsTest, UpdatesTellTheirRule) {
  const auto momentum =
      read<MomentumOptions>({attribute_of("mu", 0.5), attribute_of("use_nesterov", true),
                             attribute_of("lazy_mode", false)});
  EXPECT_EQ(momentum.mu, 0.5);
  EXPECT_TRUE(momentum.nesterov);
  EXPECT_FALSE(momentum.lazy);
  const auto adam =
      read<AdamOptions>({attribute_of("beta1", 0.5), attribute_of("beta2", 0.25),
                         attribute_of("epsilon", 0.125), attribute_of("weight_decay", 0.0625),
                         attribute_of("lazy_mode", true), attribute_of("counter", 3)});
  EXPECT_THAT((std::vector<double>{adam.beta1, adam.beta2, adam.epsilon, adam.weight_decay}),
              ElementsAre(0.5, 0.25, 0.125, 0.0625));
  EXPECT_TRUE(adam.lazy);
  EXPECT_EQ(adam.counter, 3);
}

TEST(OpOptionsTest, AnIncrementChangesAllFromTheFirstOnUnlessItCounts) {
  const auto with = [](std::int64_t count) {
    return read<IncrementOptions>(
        {attribute_of("step", 2), attribute_of("first", 3), attribute_of("count", count)});
  };
  EXPECT_EQ(with(0).step, 2);
  EXPECT_EQ(with(0).first, 3);
  EXPECT_EQ(with(0).count(10), 7);
  EXPECT_EQ(with(4).count(10), 4);
}

TEST(OpOptionsTest, PadsTellTheirModeAndConstants) {
  const Integers pads{1, -2};
  const std::vector<loci_attr> attributes{attribute_of("pads", pads),
                                          attribute_of("mode", std::string_view("edge")),
                                          attribute_of("value", 1.5), attribute_of("integer", 9)};
  EXPECT_EQ(read<PadOptions>(attributes).pads, pads);
  EXPECT_EQ(read<PadOptions>(attributes).mode, PadMode::kEdge);
  EXPECT_EQ(read<PadConstants>(attributes).value, 1.5);
  EXPECT_EQ(read<PadConstants>(attributes).integer, 9);
}

TEST(OpOptionsTest, EitherFlagOfBatchNormKeepsTheStatistics) {
  const auto with = [](std::string_view layout, bool is_test, bool use_global_stats) {
    return read<BatchNormLayout>({attribute_of("data_layout", layout),
                                  attribute_of("is_test", is_test),
                                  attribute_of("use_global_stats", use_global_stats)});
  };
  EXPECT_TRUE(with("NHWC", false, false).channels_last);
  EXPECT_FALSE(with("NCHW", false, false).channels_last);
  EXPECT_FALSE(with("NCHW", false, false).fixed_statistics);
  EXPECT_TRUE(with("NCHW", true, false).fixed_statistics);
  EXPECT_TRUE(with("NCHW", false, true).fixed_statistics);
  const auto constants =
      read<BatchNormConstants>({attribute_of("momentum", 0.5), attribute_of("epsilon", 0.25)});
  EXPECT_EQ(constants.momentum, 0.5);
  EXPECT_EQ(constants.epsilon, 0.25);
}

TEST(OpOptionsTest, LossesTellWhatLabelsAre) {
  const auto labels =
      read<LabelOptions>({attribute_of("soft_label", true), attribute_of("ignore_index", -7)});
  EXPECT_TRUE(labels.is_soft);
  EXPECT_EQ(labels.ignore_index, -7);
}

}  // namespace
}  // namespace loci::sdk
