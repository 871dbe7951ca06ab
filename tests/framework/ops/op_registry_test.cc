#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <mutex>
#include <thread>
#include <vector>

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

TEST(OpRegistryTest, APluginsOpIsSuppliedWhenItIsAskedFor) {
  OpRegistry registry;
  int supplied = 0;
  registry.set_supply([&](OpRegistry& lacking) {
    ++supplied;
    if (!lacking.contains("test.late")) lacking.add(named("test.late"));
  });
  EXPECT_EQ(registry.find("relu"), nullptr);  // a name without a dot is nobody's
  EXPECT_FALSE(registry.contains("test.late"));
  EXPECT_EQ(supplied, 0);
  const OpSchema& late = registry.get("test.late");
  EXPECT_EQ(registry.find("test.late"), &late);
  EXPECT_EQ(supplied, 1);
  EXPECT_THAT(registry.names(), Contains("test.late"));
  EXPECT_EQ(registry.find("test.never"), nullptr);
  EXPECT_EQ(supplied, 2);
}

TEST(OpRegistryTest, SaysWhatToDoAboutAPluginsOp) {
  OpRegistry registry;
  EXPECT_THAT(
      [&] { (void)registry.get("test.never"); },
      ThrowsMessage<Error>(HasSubstr(
          "[test.never] there is no such op, and no plugin brings it; give the directory")));
  registry.add(named("test.nether"));
  EXPECT_THAT([&] { (void)registry.get("test.never"); },
              ThrowsMessage<Error>(HasSubstr("did you mean 'test.nether'?")));
}

// Threads that all miss the same op.
TEST(OpRegistryTest, OpsMayComeFromSeveralThreads) {
  OpRegistry registry;
  std::mutex adding;
  registry.set_supply([&](OpRegistry& lacking) {
    const std::lock_guard lock(adding);
    if (!lacking.contains("test.late")) lacking.add(named("test.late"));
  });
  std::vector<const OpSchema*> found(8);
  std::vector<std::thread> threads;
  for (const OpSchema*& schema : found) {
    threads.emplace_back([&] { schema = registry.find("test.late"); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(found[0], nullptr);
  for (const OpSchema* schema : found) EXPECT_EQ(schema, found[0]);
}

}  // namespace
}  // namespace loci::ops
