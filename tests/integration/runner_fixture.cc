#include "tests/integration/runner_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <loci/io.hpp>
#include <loci/ops.hpp>
#include <loci/program.hpp>
#include <stdexcept>

namespace loci::test {
namespace {

namespace fs = std::filesystem;

struct Model {
  Program main;
  Program startup;
  Variable x;
  Variable y;
  Variable best;
};

Model build() {
  Model model;
  const ProgramGuard building(model.main, model.startup);
  model.x = data("x", {-1, 3}, kFloat32);
  const Variable w = create_parameter({3}, kFloat32, initializer::constant(2), "w");
  model.y = relu(elementwise_mul(model.x, w));
  model.y.rename("y");
  model.best = argmax(model.y);
  model.best.rename("best");
  return model;
}

std::string new_directory() {
  std::string name = (fs::temp_directory_path() / "loci-runner-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  return name;
}

}  // namespace

RunnerTest::RunnerTest() : directory_(new_directory()) {
  ::setenv("XDG_CACHE_HOME", path("cache").c_str(), /*replace=*/1);
}

RunnerTest::~RunnerTest() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

Finished RunnerTest::loci(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment) {
  std::vector<std::string> words{build_path("bin/loci")};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto has = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  // A probe that ends may take as long as it needs: the default is for users, and machines differ.
  if (has("--probe") && !has("--probe-timeout")) {
    words.insert(words.end(), {"--probe-timeout", "600"});
  }
  return run_process(words, environment);
}

nlohmann::json RunnerTest::loci_json(const std::vector<std::string>& arguments) {
  const Finished finished = loci(arguments);
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const auto object = nlohmann::json::parse(finished.out, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(object.is_object()) << finished.out;
  return object;
}

std::string RunnerTest::failure(int exit_code, const std::vector<std::string>& arguments,
                                const std::vector<std::string>& environment) {
  const Finished finished = loci(arguments, environment);
  EXPECT_EQ(finished.exit_code, exit_code) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, ::testing::StartsWith("loci: error: "));
  return finished.err;
}

std::string RunnerTest::write(const std::string& name, const std::string& text) const {
  const fs::path file = path(name);
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

std::string RunnerTest::write_npy(const std::string& name, const Tensor& tensor) const {
  io::save_npy(path(name), tensor);
  return path(name);
}

std::string RunnerTest::read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> RunnerTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

std::string RunnerTest::inference_model() const {
  const Model model = build();
  const Scope scope;
  scope.set("w", Tensor::from<float>({1, 2, -3}, {3}));
  io::save_inference_model(path("model"), model.main, {model.x}, {model.y, model.best}, scope);
  return path("model");
}

nlohmann::json RunnerTest::absent_but_cuda(const nlohmann::json& report) {
  nlohmann::json others = nlohmann::json::array();
  for (const nlohmann::json& absent : report["absent"]) {
    if (absent["plugin"] != "org.loci.cuda") others.push_back(absent);
  }
  return others;
}

std::string RunnerTest::untrained_program() const {
  const Model model = build();
  io::save_program(path("program"), model.main, model.startup);
  return path("program");
}

std::string RunnerTest::value_shaped_model() const {
  Program main;
  const ProgramGuard building(main, Program());
  const Variable x = data("x", {-1}, kFloat32);
  const Variable total = scale(reduce_sum(nonzero(x)), 2.0);
  total.rename("total");
  io::save_inference_model(path("values"), main, {x}, {total}, Scope());
  return path("values");
}

}  // namespace loci::test
