#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/io.hpp>
#include <loci/ops.hpp>

#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class ParametersTest : public ::testing::Test {
 protected:
  ParametersTest() {
    const ProgramGuard building(main_, Program());
    create_parameter({2}, kFloat32, initializer::constant(0), "bias");
    create_parameter({2, 2}, kFloat32, initializer::constant(0), "weight");
    scope_.set("bias", Tensor::from<float>({1, 2}, {2}));
    scope_.set("weight", Tensor::from<float>({3, 4, 5, 6}, {2, 2}));
    scope_.set("of another program", Tensor::scalar(1.0F));
  }

  static std::vector<float> values(const Scope& scope, const std::string& name) {
    return scope.find(name).to_vector<float>();
  }

  test::ScratchDirectory scratch_;
  std::string path_ = scratch_.path("w.safetensors");
  Program main_;
  Scope scope_;
};

TEST_F(ParametersTest, GoThroughAFile) {
  io::save_parameters(path_, main_, scope_);
  const Scope loaded;
  io::load_parameters(path_, main_, loaded);
  EXPECT_THAT(loaded.names(), ElementsAre("bias", "weight"));
  EXPECT_THAT(values(loaded, "bias"), ElementsAre(1, 2));
  EXPECT_THAT(values(loaded, "weight"), ElementsAre(3, 4, 5, 6));
}

// A wrapper of another framework saves parameters so.
TEST_F(ParametersTest, MayHaveAPrefix) {
  io::save_safetensors(path_, {{"module.bias", Tensor::from<float>({1, 2}, {2})},
                               {"module.weight", Tensor::from<float>({3, 4, 5, 6}, {2, 2})}});
  const Scope loaded;
  EXPECT_THAT([&] { io::load_parameters(path_, main_, loaded); },
              Throws<Error>(Property(&Error::what,
                                     HasSubstr("the file has 'module.' before these names: give "
                                               "load_parameters() the prefix 'module.'"))));
  EXPECT_TRUE(loaded.names().empty());
  io::load_parameters(path_, main_, loaded, "module.");
  EXPECT_THAT(values(loaded, "bias"), ElementsAre(1, 2));
  EXPECT_THAT(values(loaded, "weight"), ElementsAre(3, 4, 5, 6));
  EXPECT_TRUE(io::load_fitting_parameters(path_, main_, Scope(), "module.").fits());
  EXPECT_FALSE(io::load_fitting_parameters(path_, main_, Scope(), "mod.").fits());
  io::save_safetensors(path_, {{"bias", Tensor::from<float>({1, 2}, {2})},
                               {"module.bias", Tensor::from<float>({1, 2}, {2})}});
  EXPECT_THAT(io::load_fitting_parameters(path_, main_, Scope(), "module.").unexpected,
              ElementsAre("bias"));
}

TEST_F(ParametersTest, ComeFromAModelAsWell) {
  const std::string directory = scratch_.path("model");
  io::save_program(directory, main_, Program(), &scope_);
  const Scope scope;
  io::load_parameters(directory, main_, scope);
  EXPECT_EQ(values(scope, "weight"), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_THAT(io::load_fitting_parameters(directory, main_, Scope()).loaded,
              ElementsAre("bias", "weight"));
  io::save_program(directory, main_, Program());
  EXPECT_THAT([&] { io::load_parameters(directory, main_, scope); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kNotFound),
                                  Property(&Error::what, HasSubstr("saved without any")))));
}

TEST_F(ParametersTest, SavingNamesWhatTheScopeLacks) {
  scope_.erase("bias");
  scope_.erase("weight");
  EXPECT_THAT([&] { io::save_parameters(path_, main_, scope_); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kNotFound),
                                  Property(&Error::what, HasSubstr("'bias', 'weight'")))));
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(ParametersTest, LoadingKeepsStorage) {
  io::save_parameters(path_, main_, scope_);
  const Scope loaded;
  loaded.set("bias", Tensor::from<float>({0, 0}, {2}));
  const void* address = loaded.find("bias").raw_data();
  io::load_parameters(path_, main_, loaded);
  EXPECT_EQ(loaded.find("bias").raw_data(), address);
  EXPECT_THAT(values(loaded, "bias"), ElementsAre(1, 2));
}

TEST_F(ParametersTest, StrictLoadingNamesAllAndChangesNothing) {
  io::save_safetensors(path_, {{"bias", Tensor::from<float>({9, 9}, {2})},
                               {"scale", Tensor::scalar(1.0F)},
                               {"weight", Tensor::from<float>({9, 9, 9}, {3})}});
  EXPECT_THAT([&] { io::load_parameters(path_, main_, scope_); },
              Throws<Error>(AllOf(
                  Property(&Error::code, ErrorCode::kDataLoss),
                  Property(&Error::what, HasSubstr("do not fit the program: unexpected 'scale'; "
                                                   "'weight' is float32 [3], but the program "
                                                   "declares float32 [2, 2]")))));
  EXPECT_THAT(values(scope_, "bias"), ElementsAre(1, 2));
  io::save_safetensors(path_, {});
  EXPECT_THAT([&] { io::load_parameters(path_, main_, scope_); },
              Throws<Error>(Property(&Error::what, HasSubstr("missing 'bias', 'weight'"))));
}

TEST_F(ParametersTest, LoadingWhatFitsReturnsTheRest) {
  io::save_safetensors(path_, {{"scale", Tensor::scalar(1.0F)},
                               {"weight", Tensor::from<float>({9, 9, 9, 9}, {2, 2})}});
  io::LoadReport report = io::load_fitting_parameters(path_, main_, scope_);
  EXPECT_THAT(report.loaded, ElementsAre("weight"));
  EXPECT_THAT(report.missing, ElementsAre("bias"));
  EXPECT_THAT(report.unexpected, ElementsAre("scale"));
  EXPECT_THAT(values(scope_, "weight"), ElementsAre(9, 9, 9, 9));
  EXPECT_THAT(values(scope_, "bias"), ElementsAre(1, 2));

  io::save_safetensors(path_, {{"bias", Tensor::from<double>({9, 9}, {2})}});
  report = io::load_fitting_parameters(path_, main_, scope_);
  ASSERT_EQ(report.mismatched.size(), 1U);
  EXPECT_EQ(report.mismatched[0].name, "bias");
  EXPECT_EQ(report.mismatched[0].reason, "is float64 [2], but the program declares float32 [2]");
  EXPECT_THAT(values(scope_, "bias"), ElementsAre(1, 2));
}

TEST_F(ParametersTest, ADamagedFileChangesNothing) {
  io::save_parameters(path_, main_, scope_);
  const std::string whole = scratch_.read("w.safetensors");
  scratch_.write("w.safetensors", whole.substr(0, whole.size() - 4));
  EXPECT_THAT([&] { (void)io::load_fitting_parameters(path_, main_, scope_); },
              Throws<Error>(Property(&Error::code, ErrorCode::kDataLoss)));
  EXPECT_THAT([&] { io::load_scope(path_, scope_); },
              Throws<Error>(Property(&Error::code, ErrorCode::kDataLoss)));
  EXPECT_THAT(values(scope_, "weight"), ElementsAre(3, 4, 5, 6));
}

TEST_F(ParametersTest, AScopeGoesThroughAFile) {
  io::save_scope(path_, scope_);
  const Scope loaded;
  loaded.set("mine", Tensor::scalar(8.0F));
  loaded.set("bias", Tensor::scalar(8.0F));  // of another shape: replaced
  io::load_scope(path_, loaded);
  EXPECT_THAT(loaded.names(), ElementsAre("bias", "mine", "of another program", "weight"));
  EXPECT_THAT(values(loaded, "bias"), ElementsAre(1, 2));
  EXPECT_THAT(values(loaded, "mine"), ElementsAre(8));
  EXPECT_THAT([&] { io::load_scope(scratch_.path("none.safetensors"), loaded); },
              Throws<Error>(Property(&Error::code, ErrorCode::kNotFound)));
}

}  // namespace
}  // namespace loci
