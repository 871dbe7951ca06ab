#include "framework/core/cut.h"

#include <gtest/gtest.h>

namespace loci::core {
namespace {

TEST(CutTest, ShortTextStaysAsItIs) {
  EXPECT_EQ(cut("", 0), "");
  EXPECT_EQ(cut("12345", 5), "12345");
}

TEST(CutTest, SaysHowMuchIsLeftOut) {
  EXPECT_EQ(cut("123456", 5), "12345... (1 bytes left out)");
  EXPECT_EQ(cut(std::string(9'000'000, 'x'), 3), "xxx... (8999997 bytes left out)");
}

TEST(CutTest, KeepsCharactersWhole) {
  EXPECT_EQ(cut("a\u00e9b", 2), "a... (3 bytes left out)");
  EXPECT_EQ(cut("a\u00e9b", 3), "a\u00e9... (1 bytes left out)");
  EXPECT_EQ(cut("\U0001F600x", 3), "... (5 bytes left out)");
  EXPECT_EQ(cut("\x80\x80\x80", 2), "... (3 bytes left out)");
}

TEST(CutTest, CountsWhatEarlierCutsLeftOut) {
  const std::string once = cut(std::string(100, 'x'), 40);
  EXPECT_EQ(cut(once, 40), once);
  EXPECT_EQ(cut("context: " + once, 40),
            "context: " + std::string(31, 'x') + "... (69 bytes left out)");
  EXPECT_EQ(cut(once, 10), std::string(10, 'x') + "... (90 bytes left out)");
}

TEST(CutTest, WhatOnlyLooksLikeANoteIsText) {
  EXPECT_EQ(cut("abc... (x bytes left out)", 3), "abc... (22 bytes left out)");
  EXPECT_EQ(cut("abcdef bytes left out)", 3), "abc... (19 bytes left out)");
}

}  // namespace
}  // namespace loci::core
