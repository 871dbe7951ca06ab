#include "framework/io/saved_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <loci/error.hpp>

#include "framework/program/json_form.h"
#include "tests/support/scratch_directory.h"

namespace loci::io {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::ThrowsMessage;

class SavedWeightsTest : public ::testing::Test {
 protected:
  // Saves them as a model does, and returns their name.
  std::string save(const NamedTensors& tensors) const {
    const SafetensorsImage image(tensors, "weights");
    NewWeights weights(scratch_.path(), image);
    const core::DirectoryLock lock(scratch_.path());
    PlacedWeights(weights, lock).keep();
    return weights.record().name;
  }
  void write_program(const std::string& weights) const {
    scratch_.write("program.json", R"({"weights": )" + weights + "}");
  }
  [[nodiscard]] ino_t inode(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(::stat(scratch_.path(name).c_str(), &status), 0);
    return status.st_ino;
  }
  void age(const std::string& name, int hours) const {
    fs::last_write_time(scratch_.path(name),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return fs::exists(fs::symlink_status(scratch_.path(name)));
  }

  test::ScratchDirectory scratch_;
  NamedTensors tensors_{{"a", Tensor::from<float>({1, 2}, {2})},
                        {"b", Tensor::from<std::int64_t>({3}, {1})}};
};

TEST_F(SavedWeightsTest, AreNamedForTheirContent) {
  const SafetensorsImage image(tensors_, "weights");
  const NewWeights weights(scratch_.path(), image);
  EXPECT_THAT(weights.record().name, MatchesRegex("weights-[0-9a-f]*\\.safetensors"));
  EXPECT_THAT(core::digest_text(weights.record().content),
              HasSubstr(weights.record().name.substr(8, 16)));
  const std::string name = save(tensors_);
  EXPECT_EQ(name, weights.record().name);
  EXPECT_EQ(fs::file_size(scratch_.path(name)), weights.record().bytes);
  const SafetensorsFile file(scratch_.path(name));
  EXPECT_EQ(file.header_digest(), weights.record().header);
  std::uint64_t content = 0;
  EXPECT_EQ(file.load_all(&content).size(), 2U);
  EXPECT_EQ(content, weights.record().content);
  EXPECT_EQ(core::digest_of(scratch_.read(name)), content);
}

TEST_F(SavedWeightsTest, EqualOnesAreNotWrittenAgain) {
  const std::string name = save(tensors_);
  const ino_t before = inode(name);
  EXPECT_EQ(save(tensors_), name);
  EXPECT_EQ(inode(name), before);
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(SavedWeightsTest, TheNameAloneIsNotTrusted) {
  const std::string name = save(tensors_);
  const std::string good = scratch_.read(name);
  std::string damaged = good;
  damaged.back() = 'x';
  for (const std::string& bad : {damaged, good.substr(0, good.size() - 1), std::string()}) {
    scratch_.write(name, bad);
    EXPECT_EQ(save(tensors_), name);
    EXPECT_EQ(scratch_.read(name), good);
  }
  scratch_.write("elsewhere", good);
  fs::remove(scratch_.path(name));
  fs::create_symlink("elsewhere", scratch_.path(name));
  EXPECT_EQ(save(tensors_), name);
  EXPECT_FALSE(fs::is_symlink(scratch_.path(name)));
}

TEST_F(SavedWeightsTest, EqualOnesThatGoMeanwhileAreWritten) {
  const std::string name = save(tensors_);
  const SafetensorsImage image(tensors_, "weights");
  NewWeights weights(scratch_.path(), image);
  EXPECT_EQ(scratch_.entries(), 1U) << "nothing is written";
  fs::remove(scratch_.path(name));
  const core::DirectoryLock lock(scratch_.path());
  PlacedWeights(weights, lock).keep();
  EXPECT_EQ(load_safetensors(scratch_.path(name)).size(), 2U);
}

TEST_F(SavedWeightsTest, ThatChangeMeanwhileAreAnError) {
  const std::string name = save(tensors_);
  const SafetensorsImage image(tensors_, "weights");
  NewWeights weights(scratch_.path(), image);
  fs::remove(scratch_.path(name));
  tensors_.at("a").data<float>()[0] = 7;
  const core::DirectoryLock lock(scratch_.path());
  EXPECT_THAT([&] { PlacedWeights(weights, lock); },
              ThrowsMessage<Error>(HasSubstr("they changed while they were saved")));
}

TEST_F(SavedWeightsTest, GoUnlessTheyAreKept) {
  const SafetensorsImage image(tensors_, "weights");
  {
    NewWeights weights(scratch_.path(), image);
    const core::DirectoryLock lock(scratch_.path());
    const PlacedWeights placed(weights, lock);
    EXPECT_TRUE(exists(weights.record().name));
  }
  EXPECT_EQ(scratch_.entries(), 0U);
  const std::string name = save(tensors_);
  {
    NewWeights weights(scratch_.path(), image);
    const core::DirectoryLock lock(scratch_.path());
    const PlacedWeights placed(weights, lock);
  }
  EXPECT_TRUE(exists(name)) << "they were there before";
}

TEST_F(SavedWeightsTest, AreAsPrivateAsThoseBefore) {
  write_program("null");
  scratch_.write("program.json", "{}");
  scratch_.write("weights.safetensors", "old");
  fs::permissions(scratch_.path("weights.safetensors"), fs::perms(0600));
  EXPECT_EQ(fs::status(scratch_.path(save(tensors_))).permissions(), fs::perms(0600));
}

TEST_F(SavedWeightsTest, AreNamedByTheProgram) {
  EXPECT_EQ(named_weights(scratch_.path()), "");
  scratch_.write("program.json", "{}");
  EXPECT_EQ(named_weights(scratch_.path()), "weights.safetensors");
  write_program("null");
  EXPECT_EQ(named_weights(scratch_.path()), "");
  write_program(R"({"file": "mine"})");
  EXPECT_EQ(named_weights(scratch_.path()), "mine");
  for (const char* bad : {"1", "{}", "[", R"({"file": 1})"}) {
    write_program(bad);
    EXPECT_EQ(named_weights(scratch_.path()), "") << bad;
  }
}

TEST_F(SavedWeightsTest, OthersAreRemoved) {
  const std::string kept = "weights-0000000000000000.safetensors";
  const std::string other = "weights-0000000000000001.safetensors";
  const std::string link = "weights-0000000000000002.safetensors";
  const std::vector<std::string> foreign{"weights-1.safetensors", "mine.safetensors",
                                         "weights-000000000000000g.safetensors"};
  for (const std::string& name : foreign) scratch_.write(name, "");
  scratch_.write(kept, "");
  scratch_.write(other, "");
  scratch_.write("weights.safetensors", "");
  fs::create_symlink("mine.safetensors", scratch_.path(link));
  remove_other_weights(scratch_.path(), kept, "", /*is_locked=*/true);
  EXPECT_TRUE(exists(kept));
  for (const std::string& name : foreign) EXPECT_TRUE(exists(name)) << name;
  for (const std::string& name : {other, link, std::string("weights.safetensors")}) {
    EXPECT_FALSE(exists(name)) << name;
  }
}

TEST_F(SavedWeightsTest, WithoutTheLockThoseOfOtherWritersStay) {
  const std::string kept = "weights-0000000000000000.safetensors";
  const std::string before = "weights-0000000000000001.safetensors";
  const std::string young = "weights-0000000000000002.safetensors";
  const std::string old = "weights-0000000000000003.safetensors";
  for (const std::string& name : {kept, before, young, old}) scratch_.write(name, "");
  age(young, 23);
  age(old, 25);
  remove_other_weights(scratch_.path(), kept, before, /*is_locked=*/false);
  EXPECT_TRUE(exists(kept) && exists(young));
  EXPECT_FALSE(exists(before) || exists(old));
}

}  // namespace
}  // namespace loci::io
