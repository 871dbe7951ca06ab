#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/place.hpp>
#include <string>

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(PlaceTest, DefaultIsTheHost) {
  const Place place;
  EXPECT_TRUE(place.is_host());
  EXPECT_FALSE(place.has_index());
  EXPECT_EQ(place.to_string(), "cpu");
}

TEST(PlaceTest, ParsesTypeAndIndex) {
  const Place place("cuda:12");
  EXPECT_EQ(place.type(), "cuda");
  EXPECT_TRUE(place.has_index());
  EXPECT_EQ(place.index(), 12);
  EXPECT_EQ(place.to_string(), "cuda:12");
  EXPECT_FALSE(place.is_host());
}

TEST(PlaceTest, ABareTypeIsDeviceZero) {
  const Place place("sim");
  EXPECT_FALSE(place.has_index());
  EXPECT_EQ(place.index(), 0);
  EXPECT_EQ(place, Place("sim:0"));
  EXPECT_NE(place, Place("sim:1"));
  EXPECT_NE(place, Place("cuda:0"));
}

TEST(PlaceTest, IsMadeOfTypeAndIndex) {
  EXPECT_EQ(Place("cuda", 3), Place("cuda:3"));
  EXPECT_THROW(Place("cuda", -1), Error);
  EXPECT_THROW(Place("cuda", 4096), Error);
  EXPECT_THROW(Place("", 0), Error);
}

TEST(PlaceTest, TakesTheLargestIndex) { EXPECT_EQ(Place("sim:4095").index(), 4095); }

class BadPlaceTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BadPlaceTest, IsRefusedWithItsText) {
  EXPECT_THAT([] { (void)Place(std::string(GetParam())); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'" + std::string(GetParam()) + "'"),
                                         HasSubstr("such as cpu, cuda:0 or gpu"))));
}

INSTANTIATE_TEST_SUITE_P(Texts, BadPlaceTest,
                         ::testing::Values("", ":", ":0", "cuda:", "cuda:-1", "cuda:+1", "cuda:x",
                                           "cuda:1x", "cuda: 1", "cuda:4096", "cuda:-0",
                                           "cuda:99999999999", "CUDA", "cu da", "0cuda", "_cpu",
                                           "cuda:0:1"));

TEST(PlaceTest, ARefusedTextIsQuoted) {
  EXPECT_THAT([] { (void)Place("cpu\n"); },
              ThrowsMessage<Error>(HasSubstr(R"([place] 'cpu\x0a' is not a place; write)")));
  EXPECT_THAT([] { (void)Place(std::string(100000, 'X')); },
              ThrowsMessage<Error>(HasSubstr("XXX'... (100000 bytes) is not a place; write")));
}

}  // namespace
}  // namespace loci
