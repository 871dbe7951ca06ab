#include "framework/transfer/input_reason.h"

#include <gtest/gtest.h>

namespace loci::transfer {
namespace {

TEST(InputReasonTest, TheConsumerComesBeforeTheProducer) {
  EXPECT_EQ(input_reason({}), Reason::kPrepareData);
  EXPECT_EQ(input_reason({.is_fed = true}), Reason::kFeed);
  EXPECT_EQ(input_reason({.fell_back = true, .is_fed = true}), Reason::kFallback);
  EXPECT_EQ(input_reason({.is_read_on_host = true, .fell_back = true}), Reason::kHostRead);
}

}  // namespace
}  // namespace loci::transfer
