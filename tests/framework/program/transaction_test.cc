#include "framework/program/transaction.h"

#include <gtest/gtest.h>

#include <loci/ops.hpp>

namespace loci::program {
namespace {

TEST(TransactionTest, TakesBackWhatWasAdded) {
  const Program main;
  const ProgramGuard guard(main);
  const Variable x = data("x", {2}, kFloat32);
  const std::string before = main.to_string();
  {
    const Transaction transaction(*main.impl());
    relu(x);
    uniform_random({3});
  }
  EXPECT_EQ(main.to_string(), before);
  EXPECT_EQ(main.impl()->random_offset(), 0);
  EXPECT_EQ(main.impl()->main().find(kRandomStateName), kNoVar);
  EXPECT_NO_THROW(main.verify());
}

TEST(TransactionTest, KeepsWhatIsCommitted) {
  const Program main;
  const ProgramGuard guard(main);
  const Variable x = data("x", {2}, kFloat32);
  {
    Transaction outer(*main.impl());
    {
      const Transaction inner(*main.impl());
      relu(x);
    }
    assign(x);
    outer.commit();
  }
  ASSERT_EQ(main.impl()->main().ops.size(), 1U);
  EXPECT_EQ(main.impl()->main().ops[0].type(), "assign");
}

}  // namespace
}  // namespace loci::program
