#include <loci/layers.hpp>
#include <optional>
#include <utility>

#include "framework/core/raise.h"
#include "framework/program/block_builder.h"
#include "framework/program/parameters.h"
#include "framework/program/transaction.h"

namespace loci {
inline namespace v0 {
namespace layers {
namespace {

// Parameters and operators of one layer: all of them or none.
class Layer {
 public:
  Layer(const Variable& x, const char* type, const std::string& name)
      : main_(home_of(x)), startup_(default_startup_program()) {
    (void)x.name();  // refuses an undefined variable
    name_ = name.empty() ? main_->unique_name(type) : name;
    in_main_.emplace(*main_);
    in_startup_.emplace(*startup_.impl());
  }

  Variable parameter(const char* suffix, const Shape& shape, DType dtype, Initializer init) {
    return add(suffix, shape, dtype, std::move(init), /*trainable=*/true);
  }

  // Adds a variable that the layer itself keeps: not trained.
  Variable state(const char* suffix, const Shape& shape, DType dtype, Initializer init) {
    return add(suffix, shape, dtype, std::move(init), /*trainable=*/false);
  }

  Variable commit(Variable result) {
    in_main_->commit();
    in_startup_->commit();
    return result;
  }

 private:
  // Parameters are outside of all blocks.
  static std::shared_ptr<program::ProgramImpl> home_of(const Variable& x) {
    const program::BlockBuilder* block = program::BlockBuilder::active();
    return block == nullptr ? x.program() : block->root();
  }

  Variable add(const char* suffix, const Shape& shape, DType dtype, Initializer init,
               bool trainable) {
    return program::add_persistable(
        main_, *startup_.impl(), {name_ + "." + suffix, shape, dtype, std::move(init), trainable});
  }

  std::shared_ptr<program::ProgramImpl> main_;
  Program startup_;
  std::string name_;
  std::optional<program::Transaction> in_main_;
  std::optional<program::Transaction> in_startup_;
};

void check_positive(const char* op, const char* what, std::int64_t value) {
  if (value > 0) return;
  core::raise(ErrorCode::kInvalidArgument, "[{}] {} is {}; give at least 1", op, what, value);
}

}  // namespace

Variable fc(const Variable& x, std::int64_t size, const std::string& name) {
  check_positive("fc", "size", size);
  Layer layer(x, "fc", name);
  Shape columns;
  for (int axis = 1; axis < x.shape().rank(); ++axis) columns.push_back(x.shape()[axis]);
  if (x.shape().rank() == 0 || !columns.is_static()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[fc] '{}' has the shape {}; it needs rows and every other extent known", x.name(),
                x.shape().to_string());
  }
  const Shape weight_shape{columns.numel(), size};
  const Variable weight =
      layer.parameter("weight", weight_shape, x.dtype(), initializer::xavier(weight_shape));
  const Variable bias = layer.parameter("bias", Shape{size}, x.dtype(), initializer::constant(0.0));
  return layer.commit(elementwise_add(mul(x, weight), bias));
}

Variable conv2d(const Variable& x, std::int64_t filters, std::int64_t size,
                const Conv2dOptions& options, const std::string& name) {
  check_positive("conv2d", "filters", filters);
  check_positive("conv2d", "size", size);
  check_positive("conv2d", "groups", options.groups);
  Layer layer(x, "conv2d", name);
  if (x.shape().rank() != 4 || x.shape()[1] <= 0 || x.shape()[1] % options.groups != 0) {
    core::raise(ErrorCode::kInvalidArgument,
                "[conv2d] '{}' has the shape {}; it needs [batch, channels, height, width] with "
                "known channels that {} group(s) divide",
                x.name(), x.shape().to_string(), options.groups);
  }
  const Shape filter_shape{filters, x.shape()[1] / options.groups, size, size};
  const Variable filter =
      layer.parameter("weight", filter_shape, x.dtype(), initializer::xavier(filter_shape));
  const Variable bias =
      layer.parameter("bias", Shape{filters}, x.dtype(), initializer::constant(0.0));
  return layer.commit(loci::conv2d(x, filter, options, bias));
}

Variable embedding(const Variable& ids, const Shape& size, const EmbeddingOptions& options,
                   DType dtype, const std::string& name) {
  if (size.rank() != 2 || !size.is_static() || size.numel() == 0) {
    core::raise(ErrorCode::kInvalidArgument,
                "[embedding] size is {}; give [rows, width], both at least 1", size.to_string());
  }
  Layer layer(ids, "embedding", name);
  const Variable weight = layer.parameter("weight", size, dtype, initializer::xavier(size));
  return layer.commit(loci::embedding(weight, ids, options));
}

Variable layer_norm(const Variable& x, int begin_norm_axis, double epsilon,
                    const std::string& name) {
  Layer layer(x, "layer_norm", name);
  const Shape& shape = x.shape();
  if (begin_norm_axis < 0 || begin_norm_axis >= shape.rank()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[layer_norm] begin_norm_axis is {}; '{}' has the shape {}, give one in [0, {})",
                begin_norm_axis, x.name(), shape.to_string(), shape.rank());
  }
  Shape row;
  for (int axis = begin_norm_axis; axis < shape.rank(); ++axis) row.push_back(shape[axis]);
  if (!row.is_static()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[layer_norm] '{}' has the shape {}; every extent from dimension {} on has to be "
                "known",
                x.name(), shape.to_string(), begin_norm_axis);
  }
  const Shape columns{row.numel()};
  const Variable scale = layer.parameter("weight", columns, x.dtype(), initializer::constant(1.0));
  const Variable bias = layer.parameter("bias", columns, x.dtype(), initializer::constant(0.0));
  return layer.commit(loci::layer_norm(x, scale, bias, begin_norm_axis, epsilon));
}

Variable batch_norm(const Variable& x, const BatchNormOptions& options, const std::string& name) {
  Layer layer(x, "batch_norm", name);
  const int rank = x.shape().rank();
  const int axis = options.data_layout == "NHWC" ? rank - 1 : 1;
  if (rank < 2 || x.shape()[axis] < 0) {
    core::raise(ErrorCode::kInvalidArgument,
                "[batch_norm] '{}' has the shape {}; it needs a batch and a known number of "
                "channels",
                x.name(), x.shape().to_string());
  }
  const Shape channels{x.shape()[axis]};
  const DType dtype = x.dtype();
  const DType statistics = dtype == kFloat64 ? kFloat64 : kFloat32;
  const Variable scale = layer.parameter("weight", channels, dtype, initializer::constant(1.0));
  const Variable bias = layer.parameter("bias", channels, dtype, initializer::constant(0.0));
  const Variable mean = layer.state("mean", channels, statistics, initializer::constant(0.0));
  const Variable variance =
      layer.state("variance", channels, statistics, initializer::constant(1.0));
  return layer.commit(loci::batch_norm(x, scale, bias, mean, variance, options));
}

}  // namespace layers
}  // namespace v0
}  // namespace loci
