// Two models that save over each other in one directory. They have the same shapes, so that a mix
// of the two would load.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <loci/error.hpp>
#include <loci/inspect.hpp>
#include <loci/io.hpp>
#include <loci/ops.hpp>
#include <string>
#include <vector>

#include "tests/support/file_faults.h"
#include "tests/support/scratch_directory.h"

namespace loci {

// y = scale(x * w, factor), where all elements of w are the factor, too.
class FactorModel {
 public:
  explicit FactorModel(int factor) {
    const ProgramGuard building(main_, Program());
    x_ = data("x", {-1, kElements}, kFloat32);
    const Variable w = create_parameter({kElements}, kFloat32, initializer::constant(0), "w");
    y_ = scale(elementwise_mul(x_, w), factor);
    scope_.set("w", Tensor::from<float>(std::vector<float>(kElements, static_cast<float>(factor)),
                                        {kElements}));
  }

  void save(const std::string& directory) const {
    io::save_inference_model(directory, main_, {x_}, {y_}, scope_);
  }
  // Saves as Loci did before the program named its weights, and as others may.
  void save_unnamed(const std::string& directory) const {
    save(directory);
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() != ".safetensors") continue;
      std::filesystem::rename(entry.path(), directory + "/weights.safetensors");
    }
    std::string json = inspect::to_json(main_.prune({x_}, {y_}).clone_for_test());
    std::ofstream(directory + "/program.json", std::ios::trunc) << json;
  }

 private:
  static constexpr std::int64_t kElements = 5000;

  Program main_;
  Scope scope_;
  Variable x_;
  Variable y_;
};

class SavingTest : public ::testing::Test {
 protected:
  // The factor of the model in the directory, or 0 with a failure if it is a mix.
  [[nodiscard]] static int factor_in(const std::string& directory) {
    const io::Model model = io::load_model(directory);
    if (!model.has_weights) {
      ADD_FAILURE() << "the weights are lost";
      return 0;
    }
    const std::vector<float> w = model.weights.at("w").to_vector<float>();
    const int factor = static_cast<int>(w.front());
    for (const float element : w) EXPECT_EQ(element, w.front());
    EXPECT_THAT(model.main.to_string(), ::testing::HasSubstr("scale=" + std::to_string(factor)))
        << "the weights are of another model";
    return factor;
  }
  [[nodiscard]] int factor() const { return factor_in(directory_); }

  // Returns the names of the files in the model's directory.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    if (!std::filesystem::exists(directory_)) return names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  void expect_clean() const {
    EXPECT_THAT(files(),
                ::testing::ElementsAre("program.json",
                                       ::testing::MatchesRegex("weights-[0-9a-f]*.safetensors")));
  }

  // Returns how often tests repeat something; more with LOCI_TEST_ROUNDS.
  static int rounds(int few) {
    const char* text = std::getenv("LOCI_TEST_ROUNDS");
    return text == nullptr ? few : std::max(few, std::atoi(text));
  }

  // Runs it in a process of its own, which ends without any cleaning up.
  static pid_t start(const std::function<void()>& body) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::_Exit(1);
    }
    std::_Exit(0);
  }
  // The exit code, or 128 + the signal.
  static int wait(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  test::ScratchDirectory scratch_;
  std::string directory_ = scratch_.path("model");
  FactorModel one_{1};
  FactorModel two_{2};
};

}  // namespace loci
