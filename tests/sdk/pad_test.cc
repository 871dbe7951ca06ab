#include <gtest/gtest.h>

#include <loci/plugin/pad_plan.hpp>
#include <vector>

namespace loci::sdk {
namespace {

using Integers = std::vector<std::int64_t>;

Integers sources(const PadAxis& axis, PadMode mode) {
  Integers result;
  for (std::int64_t i = 0; i < axis.padded; ++i) result.push_back(axis.source(i, mode));
  return result;
}

TEST(PadTest, ContinuesWhatIsKept) {
  const PadAxis axis = PadAxis::of(4, 3, 2);
  EXPECT_EQ(sources(axis, PadMode::kConstant), (Integers{-1, -1, -1, 0, 1, 2, 3, -1, -1}));
  EXPECT_EQ(sources(axis, PadMode::kReflect), (Integers{3, 2, 1, 0, 1, 2, 3, 2, 1}));
  EXPECT_EQ(sources(axis, PadMode::kEdge), (Integers{0, 0, 0, 0, 1, 2, 3, 3, 3}));
  EXPECT_EQ(sources(axis, PadMode::kWrap), (Integers{1, 2, 3, 0, 1, 2, 3, 0, 1}));
}

TEST(PadTest, CropsFirst) {
  EXPECT_EQ(sources(PadAxis::of(4, -1, 2), PadMode::kReflect), (Integers{1, 2, 3, 2, 1}));
  EXPECT_EQ(sources(PadAxis::of(4, 4, -2), PadMode::kWrap), (Integers{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(sources(PadAxis::of(3, -2, 3), PadMode::kWrap), (Integers{2, 2, 2, 2}));
  EXPECT_EQ(sources(PadAxis::of(3, -3, 2), PadMode::kConstant), (Integers{-1, -1}));
}

// The places of each element are those whose source it is.
TEST(PadTest, FindsThePlacesOfAnElement) {
  const Integers pads[] = {{0, 0}, {3, 2}, {2, 3}, {-1, 2}, {1, -2}, {-2, -1}};
  for (const PadMode mode :
       {PadMode::kConstant, PadMode::kReflect, PadMode::kEdge, PadMode::kWrap}) {
    for (const Integers& pad : pads) {
      const bool is_short = mode == PadMode::kReflect && (pad[0] < 0 || pad[1] < 0);
      const PadAxis axis = PadAxis::of(is_short ? 6 : 4, pad[0], pad[1]);
      const Integers all = sources(axis, mode);
      for (std::int64_t element = 0; element < axis.extent; ++element) {
        Integers expected;
        for (std::size_t i = 0; i < all.size(); ++i) {
          if (all[i] == element) expected.push_back(static_cast<std::int64_t>(i));
        }
        const PadPlaces places = pad_places(axis, mode, element);
        Integers found;
        for (std::int64_t i = 0; i < places.count; ++i) found.push_back(places.at(i));
        EXPECT_EQ(found, expected) << element << " of " << pad[0] << ", " << pad[1];
      }
    }
  }
}

TEST(PadPlanTest, JoinsWhatIsNotPadded) {
  const Integers x{2, 3, 4, 5, 6};
  const PadPlan plan(x, Integers{0, 0, 1, 0, 0, 0, 0, 2, 0, 0}, PadMode::kEdge, 4);
  EXPECT_EQ(plan.rank(), 2U);
  EXPECT_EQ(plan.unit(), 5 * 6 * 4) << "a short run is moved at once";
  EXPECT_EQ(plan.row().padded, 7);
  EXPECT_EQ(plan.rows(), 6);
  EXPECT_EQ(plan.stride(0), 4 * 5 * 6 * 4);
  EXPECT_EQ(plan.padded_stride(0), 7 * 5 * 6 * 4);
}

TEST(PadPlanTest, LeavesLongRunsRows) {
  const Integers x{2, 5000};
  const PadPlan plan(x, Integers{1, 0, 0, 0}, PadMode::kWrap, 4);
  EXPECT_EQ(plan.unit(), 4);
  EXPECT_TRUE(plan.row().is_whole());
  EXPECT_EQ(plan.padded_rows(), 3);
}

TEST(PadPlanTest, TakesScalarsAndEmptyTensors) {
  const PadPlan scalar(Dims{}, Dims{}, PadMode::kConstant, 8);
  EXPECT_EQ(scalar.row().padded, 1);
  EXPECT_FALSE(scalar.is_empty());
  const Integers long_and_empty{std::int64_t{1} << 40, 0, std::int64_t{1} << 40};
  EXPECT_TRUE(PadPlan(long_and_empty, Integers(6), PadMode::kEdge, 8).is_empty());
  const Integers empty{0, 3};
  EXPECT_FALSE(PadPlan(empty, Integers{1, 0, 0, 0}, PadMode::kConstant, 8).is_empty());
}

}  // namespace
}  // namespace loci::sdk
