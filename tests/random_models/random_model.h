// Models at random: convolutions, transformers' parts, elementwise chains, views, casts, gradients.
#pragma once

#include <cstdint>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/random_models/model_builder.h"

namespace loci::test {

// One seed always gives the same model.
class RandomModel {
 public:
  explicit RandomModel(std::uint64_t seed);

  // How it may be compiled: by default, or so that bits stay; with one pass or another left out.
  [[nodiscard]] const CompileOptions& options() const { return options_; }
  // The largest difference that may come of it, for each output as a part of its largest element.
  [[nodiscard]] double tolerance() const { return tolerance_; }
  // Returns true if a NaN may come to more elements than are written to have it: by Winograd's
  // method it reaches the whole of a tile.
  [[nodiscard]] bool may_spread_nan() const;
  // The batch of each of its runs: the last run is the first once more.
  [[nodiscard]] const std::vector<std::int64_t>& batches() const { return batches_; }

  [[nodiscard]] Feed feed(std::size_t run) const;
  [[nodiscard]] const std::vector<Fetch>& fetches() const { return fetches_; }
  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const Scope& scope() const { return scope_; }

 private:
  void add_inputs();
  Variable add_input(const Shape& shape);
  void add_step();
  void add_gradients();
  void choose_options();

  std::uint64_t seed_;
  Program program_;
  Program startup_;
  Scope scope_;
  ModelBuilder builder_;
  CompileOptions options_;
  double tolerance_ = 0;
  Special special_ = Special::kNone;
  std::vector<std::int64_t> batches_;
  std::vector<Variable> inputs_;
  std::vector<Fetch> fetches_;
};

}  // namespace loci::test
