#include "framework/plugin/op_owners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/framework/plugin/load_error_matcher.h"

namespace loci::plugin {
namespace {

using test::load_error_of;
using ::testing::HasSubstr;

TEST(OpOwnersTest, AnOpBelongsToTheFirst) {
  class Named final : public Plugin {
   public:
    explicit Named(std::string id) : id_(std::move(id)) {}
    [[nodiscard]] const std::string& id() const override { return id_; }
    [[nodiscard]] const std::string& path() const override { return id_; }
    [[nodiscard]] loci_plugin* handle() const override { return nullptr; }

   private:
    std::string id_;
  };
  Named first("org.first");
  Named second("org.second");
  OpLibrary brought{&first, {}, {}};
  brought.names = {"example.a"};
  OpLibrary clashing{&second, {}, {}};
  clashing.names = {"example.b", "example.a"};
  OpOwners owners;
  owners.claim(brought);
  const LoadError error = load_error_of([&] { owners.claim(clashing); });
  EXPECT_EQ(error.cause(),
            "its op 'example.a' is taken: the plugin org.first brought one of that name");
  EXPECT_THAT(error.remedy(), HasSubstr("leave one of the two plugins out"));
  clashing.names.pop_back();
  owners.claim(clashing);  // nothing was noted of the refused one
}

}  // namespace
}  // namespace loci::plugin
