#include "framework/plugin/stated_text.h"

#include <gtest/gtest.h>

#include <string>

#include "framework/core/abi/error.h"
#include "tests/framework/plugin/load_error_matcher.h"

namespace loci::plugin {
namespace {

using test::load_error_of;

TEST(StatedText, IsTheText) {
  EXPECT_EQ(stated_text(core::to_abi("text"), "name"), "text");
  EXPECT_EQ(stated_text({nullptr, 0}, "name"), "");
  EXPECT_EQ(stated_text({nullptr, ~std::uint64_t{0}}, "name"), "");
  const std::string longest(LOCI_MAX_TEXT, 'x');
  EXPECT_EQ(stated_text(core::to_abi(longest), "name"), longest);
}

// One byte is there to be read.
TEST(StatedText, OfAWildLengthIsRefusedUnread) {
  for (const std::uint64_t size :
       {std::uint64_t{LOCI_MAX_TEXT} + 1, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    const LoadError error = load_error_of([size] { stated_text({"x", size}, "name"); });
    EXPECT_EQ(error.code(), ErrorCode::kIncompatible);
    EXPECT_EQ(error.cause(), "its name states a length of " + std::to_string(size) +
                                 " bytes; at most 65536 are read");
  }
}

TEST(StatedText, AMessageMayBeLonger) {
  const std::string longest(kLongestMessage, 'x');
  EXPECT_EQ(stated_message(core::to_abi(longest)), longest);
  EXPECT_EQ(stated_message({"x", kLongestMessage + 1}),
            "(a message whose stated length is beyond the limit, and which was not read)");
  EXPECT_EQ(stated_message({nullptr, 5}), "");
}

}  // namespace
}  // namespace loci::plugin
