#include "framework/io/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <loci/error.hpp>

#include "tests/framework/io/saving_fixture.h"

namespace loci::io {
namespace {

namespace fs = std::filesystem;
using test::FileFaults;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class ModelFilesTest : public SavingTest {
 protected:
  [[nodiscard]] std::string weights() const {
    for (const std::string& name : files()) {
      if (name != "program.json") return directory_ + "/" + name;
    }
    return {};
  }
  void expect_refused(ErrorCode code, const std::string& path, const std::string& reason) const {
    EXPECT_THAT([&] { (void)open_model_files(directory_); },
                Throws<Error>(AllOf(Property(&Error::code, code),
                                    Property(&Error::what, HasSubstr(path + ": " + reason)))));
  }
};

TEST_F(ModelFilesTest, BelongTogether) {
  one_.save(directory_);
  const ModelFiles files = open_model_files(directory_);
  ASSERT_NE(files.weights, nullptr);
  ASSERT_TRUE(files.programs.weights.file.has_value());
  EXPECT_EQ(files.weights->path(), directory_ + "/" + files.programs.weights.file->name);
  EXPECT_EQ(files.weights->bytes(), files.programs.weights.file->bytes);
}

TEST_F(ModelFilesTest, WeightsHaveTheirPlainNameWhereNoneIsGiven) {
  one_.save_unnamed(directory_);
  EXPECT_EQ(open_model_files(directory_).weights->path(), directory_ + "/weights.safetensors");
  fs::remove(directory_ + "/weights.safetensors");
  EXPECT_EQ(open_model_files(directory_).weights, nullptr);
}

TEST_F(ModelFilesTest, WeightsOfAnotherLengthAreRefused) {
  one_.save(directory_);
  save_safetensors(weights(), {{"w", Tensor::scalar(1.0F)}});
  expect_refused(ErrorCode::kDataLoss, weights(), "length: ");
}

TEST_F(ModelFilesTest, WeightsWithAnotherHeaderAreRefused) {
  one_.save(directory_);
  NamedTensors tensors = load_safetensors(weights());
  const auto node = tensors.extract("w");
  save_safetensors(weights(), {{"v", node.mapped()}});
  expect_refused(ErrorCode::kDataLoss, weights(), "header: its digest is xxh64:");
}

TEST_F(ModelFilesTest, AbsentWeightsAreNotFound) {
  one_.save(directory_);
  const std::string path = weights();
  fs::remove(path);
  expect_refused(ErrorCode::kNotFound, path,
                 "open: there is no such file; program.json needs it; save the model again");
}

TEST_F(ModelFilesTest, PlainWeightsDoNotStandInForNamedOnes) {
  one_.save(directory_);
  const std::string path = weights();
  fs::rename(path, directory_ + "/weights.safetensors");
  expect_refused(ErrorCode::kNotFound, path, "open: there is no such file");
}

TEST_F(ModelFilesTest, AreReadAgainWhenTheyWereReplaced) {
  one_.save(directory_);
  const std::string first = weights();
  fs::copy_file(directory_ + "/program.json", scratch_.path("first.json"));
  two_.save(directory_);
  fs::copy_file(directory_ + "/program.json", scratch_.path("second.json"));
  // The second model seems to come between the read of the program and that of its weights.
  fs::copy_file(scratch_.path("first.json"), directory_ + "/program.json",
                fs::copy_options::overwrite_existing);
  int opened = 0;
  {
    const FileFaults faults([&](const std::string& call) {
      if (call != "open" || ++opened != 2) return;
      fs::rename(scratch_.path("second.json"), directory_ + "/program.json");
    });
    EXPECT_EQ(open_model_files(directory_).weights->path(), weights());
  }
  EXPECT_EQ(opened, 4);
}

TEST_F(ModelFilesTest, WhatIsNoDirectoryIsRefused) {
  expect_refused(ErrorCode::kNotFound, directory_, "open: there is no such directory");
  scratch_.write("model", "");
  expect_refused(ErrorCode::kDataLoss, directory_, "open: is not a directory");
}

}  // namespace
}  // namespace loci::io
