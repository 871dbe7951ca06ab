// The steps of random models are made with this.
#pragma once

#include <cstdint>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/fuzz/dice.h"

namespace loci::test {

// How the models of a kind may be.
struct ModelTraits {
  // Nothing whose derivative jumps: where one does, the last bit of a value decides about the whole
  // of a gradient.
  bool is_smooth = false;
  // True if all that is computed has the bits of what is written.
  bool is_exact = false;
  // True if values come in halves, for which results differ by more.
  bool has_halves = false;
};

// Dimension 0 of every value is the batch, -1, of which no step makes anything else.
class ModelBuilder {
 public:
  ModelBuilder(std::uint64_t seed, ModelTraits traits, Scope scope)
      : dice_(seed), traits_(traits), scope_(std::move(scope)) {}

  [[nodiscard]] fuzz::Dice& dice() { return dice_; }
  [[nodiscard]] const ModelTraits& traits() const { return traits_; }
  [[nodiscard]] std::int64_t one_of(const std::vector<std::int64_t>& extents) {
    return dice_.one_of(extents);
  }

  // Numbers of that deviation around `mean`, the same for a seed.
  Variable parameter(const Shape& shape, DType dtype, double deviation, double mean = 0);
  [[nodiscard]] const std::vector<Variable>& parameters() const { return parameters_; }

  void add(const Variable& value) { values_.push_back(value); }
  [[nodiscard]] const std::vector<Variable>& values() const { return values_; }
  // The latest more often than others.
  [[nodiscard]] Variable some();
  // Another of that shape and dtype, or the same.
  [[nodiscard]] Variable another_like(const Variable& x);

  // A function of each element that grows no faster than its argument.
  [[nodiscard]] Variable activation(const Variable& x);

 private:
  fuzz::Dice dice_;
  ModelTraits traits_;
  Scope scope_;
  std::vector<Variable> parameters_;
  std::vector<Variable> values_;
};

// Which numbers are among others.
enum class Special {
  kNone,
  kNan,
  kAll  // NaN, infinities, zeros, subnormal
};

// Nearly normal numbers, of which 2 percent are special.
Tensor random_numbers(fuzz::Dice& dice, const Shape& shape, double deviation, double mean = 0,
                      Special special = Special::kNone);

// Each takes a value, [batch, ...], and gives another.
Variable image_step(ModelBuilder& builder, const Variable& images);    // of rank 4
Variable sequence_step(ModelBuilder& builder, const Variable& steps);  // [batch, length, width]
Variable row_step(ModelBuilder& builder, const Variable& rows);        // [batch, width]
// Take a value of any rank from 2 on.
Variable moving_step(ModelBuilder& builder, const Variable& x);
Variable element_step(ModelBuilder& builder, const Variable& x);

}  // namespace loci::test
