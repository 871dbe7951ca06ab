#include "framework/plugin/name_owners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/framework/plugin/load_error_matcher.h"

namespace loci::plugin {
namespace {

using test::load_error_of;
using ::testing::HasSubstr;

constexpr InterfaceKind kOps{.name = "ops", .unique = "op"};

TEST(NameOwnersTest, ANameBelongsToTheFirst) {
  NameOwners owners;
  owners.claim(kOps, {"example.a"}, "org.first");
  const LoadError error = load_error_of([&] {
    owners.claim(kOps, {"example.b", "example.a"}, "org.second");
  });
  EXPECT_EQ(error.cause(),
            "its op 'example.a' is taken: the plugin org.first brought one of that name");
  EXPECT_THAT(error.remedy(), HasSubstr("leave one of the two plugins out"));
  owners.claim(kOps, {"example.b"}, "org.second");  // nothing was noted of the refused one
  owners.claim(kOps, {"example.a"}, "org.first");
}

TEST(NameOwnersTest, KindsDoNotShareNames) {
  constexpr InterfaceKind kDialects{.name = "dialects", .unique = "dialect"};
  NameOwners owners;
  owners.claim(kOps, {"example.a"}, "org.first");
  owners.claim(kDialects, {"example.a"}, "org.second");
}

}  // namespace
}  // namespace loci::plugin
