// The snippets of the pages take these for granted.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <loci/loci.hpp>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/op_def.hpp>
#include <loci/plugin/ops.hpp>
#include <vector>

#include "tests/support/scratch_directory.h"

// Each runs in a directory of its own, for the files that it writes.
class Pages : public ::testing::Test {
 protected:
  Pages() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(directory_.path());
  }
  ~Pages() override { std::filesystem::current_path(before_); }

 private:
  loci::test::ScratchDirectory directory_;
  std::filesystem::path before_;
};

// A batch of digits.
inline const loci::Tensor images = loci::Tensor::from(std::vector<float>(4 * 64, 0.5F), {4, 64});
inline const loci::Tensor labels = loci::Tensor::from<std::int64_t>({1, 2, 3, 4}, {4, 1});

// These are the functions of an op of a plugin.
inline void infer_swish(loci::sdk::Inference& op) { op.set_output(0, op.input(0)); }
inline void grad_swish(loci::sdk::Gradient& op) { op.set_input_grad(0, op.output_grad(0)); }
inline void decompose_swish(loci::sdk::Decomposition& op) { op.set_output(0, op.input(0)); }
