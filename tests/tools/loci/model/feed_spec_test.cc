#include "tools/loci/model/feed_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/io.hpp>

#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;

std::string refusal(const std::string& argument) {
  return failure_of(ExitCode::kUsage, [&] { parse_feed(argument); });
}

TEST(FeedSpecTest, ReadsAFile) {
  const FeedSpec spec = parse_feed("image=@some dir/a=b.npy");
  EXPECT_EQ(spec.name, "image");
  EXPECT_EQ(std::get<FeedFile>(spec.source).file.path, "some dir/a=b.npy");
  EXPECT_EQ(spec.text, "@some dir/a=b.npy");
}

TEST(FeedSpecTest, ReadsAnArrayOfAnArchive) {
  const FeedSpec named = parse_feed("image=@in.npz:first");
  EXPECT_EQ(std::get<FeedFile>(named.source).file.path, "in.npz");
  EXPECT_EQ(std::get<FeedFile>(named.source).file.array, "first");
  EXPECT_EQ(named.text, "@in.npz:first");
  EXPECT_EQ(std::get<FeedFile>(parse_feed("image=@in.npz").source).file.array, "image");
  EXPECT_THAT(refusal("image=@in.npz:"), HasSubstr("the array is missing"));
}

TEST(FeedSpecTest, AnArchiveAloneFeedsAllOfItsArrays) {
  const std::string path = ::testing::TempDir() + "feed_spec_test.npz";
  io::save_npz(path, {{"a", Tensor::scalar(1.0F)}, {"b", Tensor::scalar(2.0F)}});
  const std::vector<FeedSpec> specs = parse_feeds("@" + path);
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_EQ(specs[1].name, "b");
  EXPECT_EQ(specs[1].text, "@" + path + ":b");
  EXPECT_EQ(std::get<FeedFile>(specs[1].source).file.array, "b");
  EXPECT_EQ(parse_feeds("x=1").size(), 1U);
  io::save_npz(path, {});
  EXPECT_THAT(failure_of(ExitCode::kUsage, [&] { parse_feeds("@" + path); }),
              HasSubstr("there is no array in the archive"));
  EXPECT_THAT(failure_of(ExitCode::kBadInput, [] { parse_feeds("@none.npz"); }),
              HasSubstr("none.npz"));
}

TEST(FeedSpecTest, ReadsRandomWithoutAnything) {
  const auto random = std::get<FeedRandom>(parse_feed("x=random").source);
  EXPECT_FALSE(random.shape);
  EXPECT_FALSE(random.low);
  EXPECT_FALSE(random.high);
}

TEST(FeedSpecTest, ReadsRandomWithAShape) {
  const auto random = std::get<FeedRandom>(parse_feed("x=random:8x1x8x8").source);
  EXPECT_EQ(random.shape, (Shape{8, 1, 8, 8}));
  EXPECT_FALSE(random.low);
}

TEST(FeedSpecTest, ReadsRandomWithBounds) {
  const auto random = std::get<FeedRandom>(parse_feed("x=random:3:-1.5:2e3").source);
  EXPECT_EQ(random.shape, (Shape{3}));
  EXPECT_EQ(random.low, -1.5);
  EXPECT_EQ(random.high, 2000);
}

TEST(FeedSpecTest, AnEmptyShapeIsTheVariables) {
  const auto random = std::get<FeedRandom>(parse_feed("x=random::0:9").source);
  EXPECT_FALSE(random.shape);
  EXPECT_EQ(random.high, 9);
}

TEST(FeedSpecTest, EverythingElseIsAValue) {
  EXPECT_EQ(std::get<FeedValue>(parse_feed("x=-1").source).text, "-1");
  EXPECT_EQ(std::get<FeedValue>(parse_feed("x=randomly").source).text, "randomly");
}

TEST(FeedSpecTest, RefusesWhatHasNoNameOrValue) {
  EXPECT_THAT(refusal("image"), AllOf(HasSubstr("'image'"), HasSubstr("no '='")));
  EXPECT_THAT(refusal("=1"), HasSubstr("the name is missing"));
  EXPECT_THAT(refusal("x="), HasSubstr("the value is missing"));
  EXPECT_THAT(refusal("x=@"), HasSubstr("the file is missing"));
}

TEST(FeedSpecTest, SaysHowAFeedIsWritten) {
  EXPECT_THAT(refusal("image"), HasSubstr("NAME=random[:SHAPE[:LOW:HIGH]]"));
}

TEST(FeedSpecTest, OfALongArgumentTheBeginningIsShown) {
  const std::string long_text(100000, '7');
  for (const std::string& argument : {long_text, "x=random:" + long_text, "x=random:1x" + long_text,
                                      "x=random:1:0:" + long_text}) {
    EXPECT_THAT(refusal(argument),
                AllOf(HasSubstr("... (100"), HasSubstr("; write NAME="), SizeIs(Lt(600U))));
  }
}

TEST(FeedSpecTest, RefusesBadShapes) {
  EXPECT_THAT(refusal("x=random:8,1"), HasSubstr("'8,1' is not an extent"));
  EXPECT_THAT(refusal("x=random:8x"), HasSubstr("'' is not an extent"));
  EXPECT_THAT(refusal("x=random:-1x8"), HasSubstr("'-1' is not an extent"));
  EXPECT_THAT(refusal("x=random:99999999999999999999"), HasSubstr("is not an extent"));
  EXPECT_THAT(refusal("x=random:1x1x1x1x1x1x1x1x1"), HasSubstr("9 extents, more than 8"));
}

TEST(FeedSpecTest, RefusesBadBounds) {
  EXPECT_THAT(refusal("x=random:8:1"), HasSubstr("two bounds"));
  EXPECT_THAT(refusal("x=random:8:0:1:2"), HasSubstr("two bounds"));
  EXPECT_THAT(refusal("x=random:8:a:1"), HasSubstr("'a' is not a finite number"));
  EXPECT_THAT(refusal("x=random:8:0:inf"), HasSubstr("'inf' is not a finite number"));
  EXPECT_THAT(refusal("x=random:8:1:1"), HasSubstr("LOW 1 is not below HIGH 1"));
}

}  // namespace
}  // namespace loci::runner
