#include "tools/loci/model/feed_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/io.hpp>

#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Target kImage{"image", kFloat32, Shape{-1, 2}};

Tensor make(const std::string& source, const Target& target = kImage) {
  return feed_tensor(parse_feed(target.name + "=" + source), target, 0);
}

std::string saved(const std::string& name, const Tensor& tensor) {
  std::string path = ::testing::TempDir() + name;
  io::save_npy(path, tensor);
  return path;
}

TEST(FeedTensorTest, ReadsAFileThatFits) {
  const Tensor array = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  std::string spec = "@";
  spec += saved("feed_fits.npy", array);
  const Tensor fed = make(spec);
  EXPECT_EQ(fed.shape(), (Shape{2, 2}));
  EXPECT_EQ(fed.to_vector<float>(), array.to_vector<float>());
}

TEST(FeedTensorTest, RefusesAFileOfAnotherDtype) {
  const std::string path = saved("feed_f64.npy", Tensor::from<double>({1, 2}, {1, 2}));
  EXPECT_THAT(failure_of(ExitCode::kBadInput, [&] { make("@" + path); }),
              AllOf(HasSubstr(path), HasSubstr("float64[1, 2]"), HasSubstr("float32[-1, 2]"),
                    HasSubstr("astype('float32')")));
}

TEST(FeedTensorTest, RefusesAFileOfAnotherShape) {
  const std::string path = saved("feed_shape.npy", Tensor::from<float>({1, 2, 3}, {1, 3}));
  EXPECT_THAT(failure_of(ExitCode::kBadInput, [&] { make("@" + path); }),
              AllOf(HasSubstr("float32[1, 3]"), HasSubstr("-1: any extent")));
}

TEST(FeedTensorTest, RefusesAFileThatIsNotThere) {
  EXPECT_THAT(failure_of(ExitCode::kBadInput, [] { make("@no_such.npy"); }),
              HasSubstr("no_such.npy"));
}

TEST(FeedTensorTest, RandomNeedsAShapeForUnknownExtents) {
  EXPECT_EQ(make("random:3x2").shape(), (Shape{3, 2}));
  EXPECT_THAT(failure_of(ExitCode::kUsage, [] { make("random"); }),
              AllOf(HasSubstr("unknown extents"), HasSubstr("image=random:1x2")));
}

TEST(FeedTensorTest, RandomTakesTheVariablesShapeWhenItIsKnown) {
  EXPECT_EQ(make("random", {"x", kFloat32, Shape{4}}).shape(), (Shape{4}));
  EXPECT_EQ(make("random", {"x", kFloat32, Shape{}}).shape(), Shape{});
}

TEST(FeedTensorTest, RandomRefusesAShapeThatDoesNotFit) {
  EXPECT_THAT(failure_of(ExitCode::kUsage, [] { make("random:3x5"); }),
              AllOf(HasSubstr("[3, 5]"), HasSubstr("float32[-1, 2]")));
  EXPECT_THAT(failure_of(ExitCode::kUsage, [] { make("random:3"); }), HasSubstr("[3]"));
}

TEST(FeedTensorTest, RefusesWhatIsLargerThanAnyMemory) {
  const Target any{"image", kFloat32, Shape{-1, -1}};
  EXPECT_THAT(
      failure_of(ExitCode::kUsage, [&] { make("random:9223372036854775807x2", any); }),
      AllOf(HasSubstr("[--feed] image: [shape]"), HasSubstr("more elements than fit in 63 bits")));
  EXPECT_THAT(
      failure_of(ExitCode::kUsage, [&] { make("random:4611686018427387904x1", any); }),
      AllOf(HasSubstr("[--feed] image: [tensor]"), HasSubstr("more bytes than fit in 63 bits")));
  EXPECT_THAT(failure_of(ExitCode::kFailed, [&] { make("random:1000000000000000x1", any); }),
              HasSubstr("[--feed] image: [memory]"));
}

TEST(FeedTensorTest, RandomIntegersAreZeroOrOneByDefault) {
  const Tensor labels = make("random:64", {"label", kInt64, Shape{-1}});
  EXPECT_THAT(labels.to_vector<std::int64_t>(),
              ::testing::AllOf(::testing::Contains(0), ::testing::Contains(1),
                               ::testing::Each(::testing::AnyOf(0, 1))));
}

TEST(FeedTensorTest, AValueFillsTheShapeWithOneForUnknownExtents) {
  const Tensor tensor = make("0.25");
  EXPECT_EQ(tensor.shape(), (Shape{1, 2}));
  EXPECT_THAT(tensor.to_vector<float>(), ::testing::Each(0.25F));
}

}  // namespace
}  // namespace loci::runner
