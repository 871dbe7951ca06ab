#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/scope.hpp>
#include <thread>

#include "framework/memory/allocator.h"
#include "framework/tensor/scope_impl.h"

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ScopeTest, SetTakesACopy) {
  const Scope scope;
  const Tensor value = Tensor::from(std::vector<float>{1, 2}, {2});
  scope.set("w", value);
  value.data<float>()[0] = 9;
  EXPECT_THAT(scope.find("w").to_vector<float>(), ElementsAre(1, 2));
}

TEST(ScopeTest, StorageKeepsItsAddressUntilItsFormChanges) {
  const Scope scope;
  scope.set("w", Tensor::from(std::vector<float>{1, 2}, {2}));
  const void* address = scope.find("w").raw_data();
  const std::uint64_t version = scope.impl()->version();
  scope.set("w", Tensor::from(std::vector<float>{3, 4}, {2}));
  EXPECT_EQ(scope.find("w").raw_data(), address);
  EXPECT_EQ(scope.impl()->version(), version);
  EXPECT_THAT(scope.find("w").to_vector<float>(), ElementsAre(3, 4));

  const Tensor held = scope.find("w");
  scope.set("w", Tensor::from(std::vector<float>{5, 6, 7}, {3}));
  EXPECT_NE(scope.find("w").raw_data(), address);
  EXPECT_GT(scope.impl()->version(), version);
  EXPECT_THAT(held.to_vector<float>(), ElementsAre(3, 4));
}

TEST(ScopeTest, VersionGrowsWithNamesAndStorages) {
  const Scope scope;
  tensor::ScopeImpl& impl = *scope.impl();
  const Tensor tensor = Tensor::scalar(1.0F);
  impl.put("a", tensor);
  const std::uint64_t added = impl.version();
  EXPECT_GT(added, 0U);
  impl.put("a", tensor);
  EXPECT_EQ(impl.version(), added);
  impl.put("a", Tensor::scalar(1.0F));
  const std::uint64_t replaced = impl.version();
  EXPECT_GT(replaced, added);
  scope.erase("missing");
  EXPECT_EQ(impl.version(), replaced);
  scope.erase("a");
  EXPECT_GT(impl.version(), replaced);
  EXPECT_FALSE(scope.has("a"));
}

TEST(ScopeTest, PutTakesTheTensorItself) {
  const Scope scope;
  const Tensor tensor = Tensor::scalar(1.0F);
  scope.impl()->put("a", tensor);
  EXPECT_EQ(scope.find("a").raw_data(), tensor.raw_data());
}

TEST(ScopeTest, KnowsWhatRunsHaveDone) {
  const Scope scope;
  tensor::ScopeImpl& impl = *scope.impl();
  EXPECT_EQ(impl.history("a").moves, 0U);
  impl.make("a", Tensor::scalar(1.0F));
  EXPECT_TRUE(impl.history("a").made);
  impl.move("a", Tensor::scalar(1.0F));
  impl.move("a", Tensor::scalar(1.0F));
  EXPECT_EQ(impl.history("a").moves, 2U);
  EXPECT_TRUE(impl.history("a").made);
  scope.set("a", Tensor::scalar(2.0F));  // into the same storage
  EXPECT_EQ(impl.history("a").moves, 2U);
  impl.put("a", Tensor::scalar(2.0F));
  EXPECT_FALSE(impl.history("a").made);
  EXPECT_EQ(impl.history("a").moves, 0U);
}

TEST(ScopeTest, MissingNameIsAnErrorWithSimilarOnes) {
  const Scope scope;
  scope.set("conv1.weight", Tensor::scalar(1.0F));
  try {
    (void)scope.find("conv1.wieght");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("no tensor 'conv1.wieght'"),
                                    HasSubstr("did you mean 'conv1.weight'")));
  }
}

TEST(ScopeTest, EmptyNameAndUndefinedTensorAreRefused) {
  const Scope scope;
  EXPECT_THAT([&] { scope.set("", Tensor::scalar(1)); },
              ThrowsMessage<Error>(HasSubstr("name is empty")));
  EXPECT_THAT([&] { scope.set("w", Tensor()); },
              ThrowsMessage<Error>(HasSubstr("tensor for 'w' is undefined")));
  EXPECT_TRUE(scope.names().empty());
}

TEST(ScopeTest, NamesAreSorted) {
  const Scope scope;
  for (const char* name : {"b", "c", "a"}) scope.set(name, Tensor::scalar(1));
  EXPECT_THAT(scope.names(), ElementsAre("a", "b", "c"));
}

TEST(ScopeTest, LedgerKnowsTheName) {
  const Scope scope;
  scope.set("scope_test_table", Tensor::empty({1 << 20}, kFloat64));
  EXPECT_EQ(memory::host_allocator().largest(1)[0].first, "scope_test_table");
}

TEST(ScopeTest, HandlesReferToOneScope) {
  global_scope().set("scope_test.x", Tensor::scalar(4.0F));
  EXPECT_EQ(global_scope().find("scope_test.x").item<float>(), 4.0F);
  global_scope().erase("scope_test.x");
}

TEST(ScopeTest, ThreadsAddAndFindNames) {
  const Scope scope;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&scope, t] {
      for (int i = 0; i < 100; ++i) {
        const std::string name = std::to_string(t) + "." + std::to_string(i);
        scope.set(name, Tensor::scalar(i));
        EXPECT_EQ(scope.find(name).item<int>(), i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(scope.names().size(), 400U);
}

}  // namespace
}  // namespace loci
