#include "framework/memory/intern.h"

#include <gtest/gtest.h>

#include <string>

namespace loci::memory {
namespace {

TEST(InternTest, EqualTextsGiveEqualPointers) {
  std::string text = "weight";
  const char* first = intern(text);
  text[0] = 'W';
  EXPECT_STREQ(first, "weight");
  EXPECT_EQ(first, intern("weight"));
  EXPECT_NE(first, intern("Weight"));
}

}  // namespace
}  // namespace loci::memory
