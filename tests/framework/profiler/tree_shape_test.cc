#include "framework/profiler/tree_shape.h"

#include <gtest/gtest.h>

namespace loci::profiler {
namespace {

TEST(TreeShapeTest, SameKeyUnderTheSameParentIsOneNode) {
  TreeShape shape;
  const std::uint32_t top = shape.find_or_add(LOCI_PROFILE_NONE, 1);
  const std::uint32_t child = shape.find_or_add(top, 1);
  EXPECT_NE(child, top);
  EXPECT_EQ(shape.find_or_add(LOCI_PROFILE_NONE, 1), top);
  EXPECT_EQ(shape.find_or_add(top, 1), child);
  EXPECT_EQ(shape.size(), 2U);
}

TEST(TreeShapeTest, PreorderKeepsSiblingsInTheirOrder) {
  TreeShape shape;
  const std::uint32_t a = shape.find_or_add(LOCI_PROFILE_NONE, 0);
  const std::uint32_t b = shape.find_or_add(LOCI_PROFILE_NONE, 1);
  const std::uint32_t b_child = shape.find_or_add(b, 0);
  const std::uint32_t a_child = shape.find_or_add(a, 0);
  const std::uint32_t a_grandchild = shape.find_or_add(a_child, 0);
  const std::uint32_t a_second = shape.find_or_add(a, 1);
  const std::vector<TreeShape::Place> places = shape.preorder();

  EXPECT_EQ(places[a].position, 0U);
  EXPECT_EQ(places[a_child].position, 1U);
  EXPECT_EQ(places[a_grandchild].position, 2U);
  EXPECT_EQ(places[a_second].position, 3U);
  EXPECT_EQ(places[b].position, 4U);
  EXPECT_EQ(places[b_child].position, 5U);
  EXPECT_EQ(places[a].descendants, 3U);
  EXPECT_EQ(places[a_child].descendants, 1U);
  EXPECT_EQ(places[b].descendants, 1U);
  EXPECT_EQ(places[a].parent, LOCI_PROFILE_NONE);
  EXPECT_EQ(places[a_grandchild].parent, 1U);
  EXPECT_EQ(places[b_child].parent, 4U);
  EXPECT_EQ(places[a_grandchild].depth, 2U);
  EXPECT_EQ(places[b].depth, 0U);
}

}  // namespace
}  // namespace loci::profiler
