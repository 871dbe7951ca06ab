#include "suspects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(SuspectsTest, WhoeverWasWaitedForIsNone) {
  Suspects suspects;
  EXPECT_THAT(suspects.judge().text, IsEmpty());
  const auto stream = suspects.add();
  stream->note("relu", 1);
  stream->note("softmax", 2);
  stream->prove(2);
  EXPECT_THAT(suspects.judge().text, IsEmpty());
  EXPECT_EQ(suspects.judge().correlation, 0U);
}

TEST(SuspectsTest, TheOnlyOneIsTold) {
  Suspects suspects;
  const auto stream = suspects.add();
  stream->note("relu", 1);
  stream->prove(1);
  stream->note("softmax", 2);
  EXPECT_EQ(suspects.judge().text, "; it was softmax");
  EXPECT_EQ(suspects.judge().correlation, 2U);
  stream->prove(1);  // what is known already
  EXPECT_EQ(suspects.judge().correlation, 2U);
}

TEST(SuspectsTest, SeveralAreNamedOfAllStreams) {
  Suspects suspects;
  const auto first = suspects.add();
  const auto second = suspects.add();
  first->note("relu", 1);
  second->note("softmax", 2);
  EXPECT_EQ(suspects.judge().text,
            "; it was one of the 2 launches since the last wait: relu, softmax (under "
            "LOCI_CUDA_BLOCKING=1 the error names it)");
  EXPECT_EQ(suspects.judge().correlation, 0U);
}

TEST(SuspectsTest, OfManyTheLatestAreNamed) {
  Suspects suspects;
  const auto stream = suspects.add();
  for (int i = 0; i < 100; ++i) stream->note("relu", 1);
  for (int i = 0; i < 8; ++i) stream->note("tanh", 2);
  EXPECT_THAT(suspects.judge().text,
              AllOf(HasSubstr("one of the 108 launches since the last wait, the latest of them "
                              "tanh, tanh, "),
                    Not(HasSubstr("relu"))));
  // Only the oldest of all are known to be good, which are not kept any more.
  stream->prove(50);
  EXPECT_THAT(suspects.judge().text, HasSubstr("one of the 58 launches"));
  stream->prove(107);
  EXPECT_EQ(suspects.judge().text, "; it was tanh");
}

TEST(SuspectsTest, AStreamThatIsGoneIsNone) {
  Suspects suspects;
  suspects.add()->note("relu", 1);
  EXPECT_THAT(suspects.judge().text, IsEmpty());
}

}  // namespace
}  // namespace loci::cuda
