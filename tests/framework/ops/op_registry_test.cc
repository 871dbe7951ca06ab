#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "framework/ops/op_registry.h"

namespace loci::ops {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

OpSchema named(const char* name) {
  return OpSchema(name).infer([](InferContext&) {});
}

TEST(OpRegistryTest, FindsWhatWasAdded) {
  OpRegistry registry;
  registry.add(named("relu"));
  ASSERT_NE(registry.find("relu"), nullptr);
  EXPECT_EQ(registry.find("relu")->name(), "relu");
  EXPECT_EQ(registry.find("gelu"), nullptr);
  EXPECT_THAT(registry.names(), Contains("relu"));
}

TEST(OpRegistryTest, SuggestsSimilarNames) {
  OpRegistry registry;
  registry.add(named("relu"));
  EXPECT_THAT([&] { (void)registry.get("rellu"); },
              ThrowsMessage<Error>(HasSubstr("[rellu] there is no such op; did you mean 'relu'?")));
}

TEST(OpRegistryTest, RefusesATakenName) {
  OpRegistry registry;
  registry.add(named("relu"));
  EXPECT_THAT([&] { registry.add(named("relu")); },
              ThrowsMessage<Error>(HasSubstr("[relu] an op of this name is registered already")));
}

TEST(OpRegistryTest, RefusesASchemaWithoutInference) {
  OpRegistry registry;
  EXPECT_THAT([&] { registry.add(OpSchema("relu")); },
              ThrowsMessage<Error>(HasSubstr("no shape inference")));
  EXPECT_EQ(registry.find("relu"), nullptr);
}

}  // namespace
}  // namespace loci::ops
