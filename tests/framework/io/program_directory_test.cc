#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <loci/error.hpp>
#include <loci/io.hpp>
#include <loci/layers.hpp>
#include <loci/ops.hpp>

#include "framework/program/program_impl.h"
#include "tests/framework/io/mutation.h"
#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class ProgramDirectoryTest : public ::testing::Test {
 protected:
  ProgramDirectoryTest() {
    const ProgramGuard building(main_, startup_);
    x_ = data("x", {-1, 2}, kFloat32);
    label_ = data("label", {-1, 1}, kInt64);
    y_ = softmax(layers::fc(x_, 3, "fc"));
    loss_ = mean(cross_entropy(y_, label_));
    unused_ = create_parameter({1}, kFloat64, initializer::constant(0), "unused");
    scope_.set("fc.weight", Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
    scope_.set("fc.bias", Tensor::from<float>({7, 8, 9}, {3}));
    scope_.set("unused", Tensor::from<double>({0.5}, {1}));
    scope_.set("of another program", Tensor::scalar(1.0F));
  }

  void save_inference() const { io::save_inference_model(directory_, main_, {x_}, {y_}, scope_); }
  [[nodiscard]] std::string program_path() const { return directory_ + "/program.json"; }
  // Returns the path of the weights that the program names.
  [[nodiscard]] std::string weights_path() const {
    for (const auto& entry : fs::directory_iterator(directory_)) {
      if (entry.path().extension() == ".safetensors") return entry.path().string();
    }
    return {};
  }
  // Makes the model one whose program names no weights, as others make them.
  [[nodiscard]] std::string unname_weights() const {
    const std::string path = directory_ + "/weights.safetensors";
    fs::rename(weights_path(), path);
    std::string json = scratch_.read("model/program.json");
    json.erase(json.rfind(",\n  \"weights\""));
    scratch_.write("model/program.json", json + "\n}\n");
    return path;
  }

  void expect_load_error(ErrorCode code, const std::string& path, const std::string& reason) const {
    EXPECT_THAT([&] { (void)io::load_model(directory_); },
                Throws<Error>(AllOf(Property(&Error::code, code),
                                    Property(&Error::what, HasSubstr(path + ": ")),
                                    Property(&Error::what, HasSubstr(reason)))));
  }

  static std::vector<std::string> names(const io::NamedTensors& tensors) {
    std::vector<std::string> result;
    for (const auto& [name, tensor] : tensors) result.push_back(name);
    return result;
  }

  test::ScratchDirectory scratch_;
  std::string directory_ = scratch_.path("model");
  Program main_;
  Program startup_;
  Scope scope_;
  Variable x_;
  Variable label_;
  Variable y_;
  Variable loss_;
  Variable unused_;
};

TEST_F(ProgramDirectoryTest, InferenceModelHasWhatTheFetchesNeed) {
  save_inference();
  const io::Model model = io::load_model(directory_);
  EXPECT_FALSE(model.startup.has_value());
  EXPECT_TRUE(model.has_weights);
  EXPECT_THAT(names(model.weights), ElementsAre("fc.bias", "fc.weight"));
  EXPECT_EQ(model.weights.at("fc.weight").to_vector<float>(),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(model.main.to_string(), main_.prune({x_}, {y_}).to_string());
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(ProgramDirectoryTest, ProgramsWithoutAScopeHaveNoWeights) {
  io::save_program(directory_, main_, startup_);
  const io::Model model = io::load_model(directory_);
  EXPECT_FALSE(model.has_weights);
  EXPECT_TRUE(model.weights.empty());
  ASSERT_TRUE(model.startup.has_value());
  EXPECT_EQ(model.main.to_string(), main_.to_string());
  EXPECT_EQ(model.startup->to_string(), startup_.to_string());
}

TEST_F(ProgramDirectoryTest, ProgramsWithAScopeHaveAllParameters) {
  io::save_program(directory_, main_, startup_, &scope_);
  const io::Model model = io::load_model(directory_);
  EXPECT_THAT(names(model.weights), ElementsAre("fc.bias", "fc.weight", "unused"));
  EXPECT_EQ(model.weights.at("unused").item<double>(), 0.5);
}

TEST_F(ProgramDirectoryTest, SavingWithoutWeightsRemovesOlderOnes) {
  io::save_program(directory_, main_, startup_, &scope_);
  io::save_program(directory_, main_, startup_);
  EXPECT_EQ(weights_path(), "");
  EXPECT_FALSE(io::load_model(directory_).has_weights);
}

TEST_F(ProgramDirectoryTest, ProgramsThatNameNoWeightsHaveThoseOfThePlainName) {
  save_inference();
  const std::string path = unname_weights();
  EXPECT_EQ(io::load_model(directory_).weights.at("fc.bias").to_vector<float>(),
            (std::vector<float>{7, 8, 9}));
  fs::remove(path);
  EXPECT_FALSE(io::load_model(directory_).has_weights);
}

TEST_F(ProgramDirectoryTest, PlainWeightsAreReplaced) {
  save_inference();
  const std::string path = unname_weights();
  scope_.set("fc.bias", Tensor::from<float>({0, 0, 1}, {3}));
  save_inference();
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(io::load_model(directory_).weights.at("fc.bias").to_vector<float>(),
            (std::vector<float>{0, 0, 1}));
}

TEST_F(ProgramDirectoryTest, ProgramsSavedWithoutWeightsTakeNone) {
  io::save_program(directory_, main_, startup_);
  scratch_.write("model/weights.safetensors", "of another program");
  EXPECT_FALSE(io::load_model(directory_).has_weights);
}

TEST_F(ProgramDirectoryTest, ContentIsCheckedOnRequest) {
  save_inference();
  const io::LoadOptions check{/*check_content=*/true};
  EXPECT_TRUE(io::load_model(directory_, check).has_weights);
  std::string weights = scratch_.read("model/" + fs::path(weights_path()).filename().string());
  weights.back() ^= 1;
  scratch_.write("model/" + fs::path(weights_path()).filename().string(), weights);
  EXPECT_TRUE(io::load_model(directory_).has_weights);
  const auto expect_refused = [&](ErrorCode code, const std::string& message) {
    EXPECT_THAT([&] { (void)io::load_model(directory_, check); },
                Throws<Error>(AllOf(Property(&Error::code, code),
                                    Property(&Error::what, HasSubstr(message)))));
  };
  expect_refused(ErrorCode::kDataLoss, weights_path() + ": content: its digest is xxh64:");
  const std::string path = unname_weights();
  expect_refused(ErrorCode::kUnsupported, path + ": content: program.json has no digest");
}

TEST_F(ProgramDirectoryTest, SavingReplacesAndLeavesOtherFilesAlone) {
  save_inference();
  scratch_.write("model/notes.txt", "mine");
  scope_.set("fc.bias", Tensor::from<float>({0, 0, 1}, {3}));
  save_inference();
  EXPECT_EQ(io::load_model(directory_).weights.at("fc.bias").to_vector<float>(),
            (std::vector<float>{0, 0, 1}));
  EXPECT_EQ(scratch_.read("model/notes.txt"), "mine");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 3);
}

TEST_F(ProgramDirectoryTest, MakesDirectoriesOnTheWay) {
  directory_ = scratch_.path("a/b/c/");
  save_inference();
  EXPECT_TRUE(io::load_model(directory_).has_weights);
}

TEST_F(ProgramDirectoryTest, MissingParametersAreNamedAndNothingIsWritten) {
  scope_.erase("fc.bias");
  scope_.erase("fc.weight");
  EXPECT_THAT(
      [&] { save_inference(); },
      Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kNotFound),
                          Property(&Error::what, HasSubstr("'fc.weight', 'fc.bias'")),
                          Property(&Error::what, HasSubstr("run the startup program first")))));
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(ProgramDirectoryTest, ParametersOfAnotherShapeAreNamedAndTheOldModelStays) {
  save_inference();
  const std::string before = scratch_.read("model/program.json");
  scope_.set("fc.bias", Tensor::from<float>({1, 2}, {2}));
  EXPECT_THAT(
      [&] { save_inference(); },
      Throws<Error>(AllOf(
          Property(&Error::code, ErrorCode::kInvalidArgument),
          Property(&Error::what,
                   HasSubstr("'fc.bias': is float32 [2], but the program declares float32 [3]")))));
  EXPECT_EQ(scratch_.read("model/program.json"), before);
  EXPECT_TRUE(io::load_model(directory_).has_weights);
}

TEST_F(ProgramDirectoryTest, FetchThatNeedsMoreThanTheFeedsWritesNothing) {
  EXPECT_THAT([&] { io::save_inference_model(directory_, main_, {x_}, {loss_}, scope_); },
              Throws<Error>(Property(&Error::what, HasSubstr("'label'"))));
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(ProgramDirectoryTest, FileInTheWayIsAnErrorAndStays) {
  scratch_.write("model", "mine");
  EXPECT_THAT([&] { save_inference(); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kFailed),
                                  Property(&Error::what, HasSubstr("is a file")))));
  EXPECT_EQ(scratch_.read("model"), "mine");
  directory_ += "/below";
  EXPECT_THROW(save_inference(), Error);
}

TEST_F(ProgramDirectoryTest, FailureTakesBackNewDirectories) {
  directory_ = scratch_.path("new/" + std::string(300, 'x'));
  EXPECT_THROW(save_inference(), Error);
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(ProgramDirectoryTest, ValuesThatOperatorsMakeAreNotWeights) {
  y_.set_persistable(true);
  save_inference();
  EXPECT_THAT(names(io::load_model(directory_).weights), ElementsAre("fc.bias", "fc.weight"));
}

TEST_F(ProgramDirectoryTest, RandomStateIsSavedOnlyWithAProgramThatGoesOn) {
  Program main;
  Variable noise;
  {
    const ProgramGuard building(main);
    noise = gaussian_random({2}, 0, 1, kFloat32);
  }
  const auto saved = [&] { return names(io::load_model(directory_).weights); };
  io::save_program(directory_, main, Program(), &scope_);
  EXPECT_THAT(saved(), ElementsAre());
  scope_.set(program::kRandomStateName, Tensor::from<std::uint64_t>({3, 4}, {2}));
  io::save_program(directory_, main, Program(), &scope_);
  EXPECT_THAT(saved(), ElementsAre(program::kRandomStateName));
  io::save_inference_model(directory_, main, {}, {noise}, scope_);
  EXPECT_THAT(saved(), ElementsAre());
}

TEST_F(ProgramDirectoryTest, AbsentDirectoryIsNotFound) {
  expect_load_error(ErrorCode::kNotFound, directory_, "no such directory");
}

TEST_F(ProgramDirectoryTest, FileInsteadOfADirectoryIsRefused) {
  scratch_.write("model", "{}");
  expect_load_error(ErrorCode::kDataLoss, directory_, "give the one with program.json in it");
}

TEST_F(ProgramDirectoryTest, DirectoryWithoutAProgramIsNotFound) {
  fs::create_directory(directory_);
  expect_load_error(ErrorCode::kNotFound, program_path(), "there is no such file");
}

TEST_F(ProgramDirectoryTest, MalformedProgramNamesTheFile) {
  save_inference();
  scratch_.write("model/program.json", "{");
  expect_load_error(ErrorCode::kDataLoss, program_path(), "");
}

TEST_F(ProgramDirectoryTest, OversizedProgramIsNotRead) {
  fs::create_directory(directory_);
  scratch_.write("model/program.json", "{}");
  fs::resize_file(program_path(), std::uintmax_t{1} << 40);
  expect_load_error(ErrorCode::kDataLoss, program_path(), "1099511627776 bytes are more than");
}

TEST_F(ProgramDirectoryTest, MalformedWeightsNameTheFile) {
  save_inference();
  fs::resize_file(weights_path(), fs::file_size(weights_path()) - 1);
  expect_load_error(ErrorCode::kDataLoss, weights_path(), "truncated");
}

TEST_F(ProgramDirectoryTest, DanglingLinkToWeightsIsNotPassedOver) {
  save_inference();
  const std::string path = unname_weights();
  fs::remove(path);
  fs::create_symlink("nowhere", path);
  expect_load_error(ErrorCode::kNotFound, path, "no such file");
}

TEST_F(ProgramDirectoryTest, WeightsOfAnotherModelAreRefusedByName) {
  save_inference();
  const std::string path = unname_weights();
  io::save_safetensors(
      path, {{"fc.bias", scope_.find("fc.bias")}, {"fc.weights", scope_.find("fc.weight")}});
  expect_load_error(ErrorCode::kDataLoss, path, "missing 'fc.weight'; unexpected 'fc.weights'");
  io::save_safetensors(path, {});
  expect_load_error(ErrorCode::kDataLoss, path, "missing 'fc.bias', 'fc.weight'");
}

TEST_F(ProgramDirectoryTest, ManyUnexpectedWeightsAreCounted) {
  save_inference();
  const std::string path = unname_weights();
  io::NamedTensors tensors = io::load_safetensors(path);
  for (int i = 10; i < 40; ++i) tensors["extra" + std::to_string(i)] = Tensor::scalar(1.0F);
  io::save_safetensors(path, tensors);
  expect_load_error(ErrorCode::kDataLoss, path, "'extra19' and 20 more");
}

TEST_F(ProgramDirectoryTest, WeightsOfAnotherDTypeOrShapeAreRefused) {
  save_inference();
  const std::string path = unname_weights();
  io::NamedTensors tensors = io::load_safetensors(path);
  tensors["fc.bias"] = Tensor::from<double>({1, 2, 3}, {3});
  io::save_safetensors(path, tensors);
  expect_load_error(ErrorCode::kDataLoss, path,
                    "'fc.bias' is float64 [3], but the program declares float32 [3]");
  tensors["fc.bias"] = Tensor::from<float>({1, 2, 3}, {3, 1});
  io::save_safetensors(path, tensors);
  expect_load_error(ErrorCode::kDataLoss, path, "is float32 [3, 1], but");
}

TEST_F(ProgramDirectoryTest, DamagedDirectoriesAreReadOrRefused) {
  save_inference();
  const std::string program = scratch_.read("model/program.json");
  const std::string name = "model/" + fs::path(weights_path()).filename().string();
  const std::string weights = scratch_.read(name);
  io_test::Mutator mutate(5);
  int refused = 0;
  constexpr int kRounds = 1000;
  for (int round = 0; round < kRounds; ++round) {
    scratch_.write("model/program.json", round % 2 == 0 ? mutate(program) : program);
    scratch_.write(name, round % 2 == 1 ? mutate(weights) : weights);
    try {
      io::load_model(directory_).main.verify();
    } catch (const Error& error) {
      // A damaged program may name a file that is not there.
      ASSERT_THAT(error.code(), AnyOf(ErrorCode::kDataLoss, ErrorCode::kNotFound)) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, kRounds / 2);
  EXPECT_LT(refused, kRounds);
}

}  // namespace
}  // namespace loci
