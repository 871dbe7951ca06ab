// The runner as a process, and models for it.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <loci/tensor.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/subprocess.h"

namespace loci::test {

// Plugins of the tests, and a program of the examples.
inline const std::string kToyPlugin = build_path("lib/loci/toy_plugin/loci-test_toy.so");
inline const std::string kRiskyPlugin = build_path("lib/loci/test_plugins/loci-test_risky.so");
inline const std::string kCropProgram = source_path("examples/device_guard/crop");

// Each test has a directory of its own, which is removed after it; what the runner keeps is in it.
class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest();
  ~RunnerTest() override;

  // Runs `loci` with these arguments and LOCI_* variables.
  static Finished loci(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& environment = {});
  // Runs it, expects exit code 0 and one JSON object on standard output.
  static nlohmann::json loci_json(const std::vector<std::string>& arguments);
  // Returns what `loci devices --json` says is absent, but for CUDA, which most test machines lack.
  static nlohmann::json absent_but_cuda(const nlohmann::json& report);
  // Runs it and expects this exit code, nothing on standard output, and one line with "error"
  // first on standard error; returns standard error.
  static std::string failure(int exit_code, const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment = {});

  // A path in the test's directory.
  [[nodiscard]] std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const;
  std::string write_npy(const std::string& name, const Tensor& tensor) const;
  [[nodiscard]] std::string read(const std::string& name) const { return read_file(path(name)); }
  // A file anywhere; empty if it is not there.
  static std::string read_file(const std::string& path);
  [[nodiscard]] std::vector<std::string> files() const;

  // y = relu(x * w) and best = argmax(y) for x float32[-1, 3], with w = [1, 2, -3] saved.
  std::string inference_model() const;
  // Leaves out the weights, and has a startup program that makes w = [2, 2, 2]; fetches nothing.
  std::string untrained_program() const;
  // total = scale(reduce_sum(nonzero(x)), 2) for x float32[-1]: extents that hang on values.
  std::string value_shaped_model() const;

 private:
  std::string directory_;
};

}  // namespace loci::test
