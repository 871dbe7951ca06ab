#include <gtest/gtest.h>

#include <loci/context.hpp>
#include <thread>

#include "framework/core/context.h"

namespace loci {
namespace {

TEST(ContextApiTest, AThreadIsInItForTheGuard) {
  const Context context;
  EXPECT_EQ(Context::current(), Context::default_context());
  {
    const ContextGuard guard(context);
    EXPECT_EQ(Context::current(), context);
    EXPECT_NE(Context::current(), Context::default_context());
    std::thread([] { EXPECT_EQ(Context::current(), Context::default_context()); }).join();
    {
      const ContextGuard out(Context::default_context());
      EXPECT_EQ(Context::current(), Context::default_context());
      const ContextGuard again(context);
      EXPECT_EQ(Context::current(), context);
    }
    EXPECT_EQ(Context::current(), context);
  }
  EXPECT_EQ(Context::current(), Context::default_context());
}

TEST(ContextApiTest, AGuardKeepsIt) {
  const std::size_t before = core::live_contexts().size();
  {
    auto context = std::make_unique<Context>();
    const ContextGuard guard(*context);
    context.reset();
    EXPECT_EQ(core::live_contexts().size(), before + 1);
  }
  EXPECT_EQ(core::live_contexts().size(), before);
}

}  // namespace
}  // namespace loci
