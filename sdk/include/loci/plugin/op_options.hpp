// Attributes of ops which kernels of several backends read alike.
//
// They are read when a kernel is created. Nothing here checks: the schema has done so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/plugin/attributes.hpp>
#include <loci/plugin/pad.hpp>
#include <loci/plugin/reduction.hpp>
#include <vector>

namespace loci::sdk {

// keep_dim says only which shape the output has.
class ReduceOptions {
 public:
  explicit ReduceOptions(const AttributeReader& attributes) : axes_(attributes.integers("axes")) {}

  [[nodiscard]] std::vector<bool> reduced(std::size_t rank) const {
    return reduced_axes(axes_, rank);
  }
  [[nodiscard]] ReducePlan plan(Dims x) const { return plan_reduce(x, reduced(x.size())); }

 private:
  std::vector<std::int64_t> axes_;
};

// The place of an op among the draws of its program.
inline std::uint64_t read_draw_offset(const AttributeReader& attributes) {
  return static_cast<std::uint64_t>(attributes.integer("offset"));
}

struct UniformOptions {
  explicit UniformOptions(const AttributeReader& attributes)
      : low(attributes.real("low")), high(attributes.real("high")) {}
  double low;
  double high;
};

struct GaussianOptions {
  explicit GaussianOptions(const AttributeReader& attributes)
      : mean(attributes.real("mean")), deviation(attributes.real("deviation")) {}
  double mean;
  double deviation;
};

struct MomentumOptions {
  explicit MomentumOptions(const AttributeReader& attributes)
      : mu(attributes.real("mu")),
        nesterov(attributes.boolean("use_nesterov")),
        lazy(attributes.boolean("lazy_mode")) {}
  double mu;
  bool nesterov;
  bool lazy;
};

struct AdamOptions {
  explicit AdamOptions(const AttributeReader& attributes)
      : beta1(attributes.real("beta1")),
        beta2(attributes.real("beta2")),
        epsilon(attributes.real("epsilon")),
        weight_decay(attributes.real("weight_decay")),
        lazy(attributes.boolean("lazy_mode")),
        counter(attributes.integer("counter")) {}
  double beta1;
  double beta2;
  double epsilon;
  double weight_decay;
  bool lazy;
  std::int64_t counter;  // among the steps that lie side by side
};

struct IncrementOptions {
  explicit IncrementOptions(const AttributeReader& attributes)
      : step(attributes.integer("step")),
        first(attributes.integer("first")),
        given_count(attributes.integer("count")) {}
  // How many of `all` elements change.
  [[nodiscard]] std::int64_t count(std::int64_t all) const {
    return given_count == 0 ? all - first : given_count;
  }
  std::int64_t step;
  std::int64_t first;
  std::int64_t given_count;  // 0: all from `first` on
};

// Attributes of the gradient too, which has no constants.
struct PadOptions {
  explicit PadOptions(const AttributeReader& attributes)
      : pads(attributes.integers("pads")), mode(pad_mode(attributes.text("mode"))) {}
  std::vector<std::int64_t> pads;
  PadMode mode;
};

struct PadConstants {
  explicit PadConstants(const AttributeReader& attributes)
      : value(attributes.real("value")), integer(attributes.integer("integer")) {}
  double value;          // of floating elements
  std::int64_t integer;  // of others
};

// Attributes of the gradient too, which reads no constants.
struct BatchNormLayout {
  explicit BatchNormLayout(const AttributeReader& attributes)
      : channels_last(attributes.text("data_layout") == "NHWC"),
        fixed_statistics(attributes.boolean("is_test") || attributes.boolean("use_global_stats")) {}
  bool channels_last;
  bool fixed_statistics;  // mean and variance are taken as they are
};

struct BatchNormConstants {
  explicit BatchNormConstants(const AttributeReader& attributes)
      : momentum(attributes.real("momentum")), epsilon(attributes.real("epsilon")) {}
  double momentum;
  double epsilon;
};

struct LabelOptions {
  explicit LabelOptions(const AttributeReader& attributes)
      : is_soft(attributes.boolean("soft_label")),
        ignore_index(attributes.integer("ignore_index")) {}
  bool is_soft;
  std::int64_t ignore_index;
};

}  // namespace loci::sdk
