#include "tests/support/infer_probe.h"

#include <stdexcept>
#include <utility>

#include "framework/ops/op_registry.h"

namespace loci::test_support {
namespace {

using Arguments = std::vector<std::pair<std::string, ops::InferArgument>>;

std::vector<std::vector<ops::InferArgument>> by_slot(const ops::OpSchema& schema,
                                                     const Arguments& inputs) {
  std::vector<std::vector<ops::InferArgument>> slots(schema.inputs().size());
  for (const auto& input : inputs) {
    const int index = schema.input_index(input.first);
    if (index < 0) throw std::logic_error(schema.name() + " has no input " + input.first);
    slots[static_cast<std::size_t>(index)].push_back(input.second);
  }
  return slots;
}

template <class Use>
auto with_inference(const std::string& op, const Arguments& inputs, const Attributes& given,
                    Use use) {
  const ops::OpSchema& schema = ops::op_registry().get(op);
  const Attributes attributes = schema.complete(given);
  ops::InferContext ctx(schema, by_slot(schema, inputs), attributes);
  ctx.run();
  return use(ctx);
}

}  // namespace

InferProbe& InferProbe::input(const std::string& slot, const Shape& shape, DType dtype) {
  inputs_.emplace_back(slot, ops::InferArgument{{dtype, shape}, slot + "_in", {}});
  carrying_.push_back(ops::Carried::kNothing);
  return *this;
}

InferProbe& InferProbe::rows(const std::string& slot, const Shape& shape, DType dtype,
                             ops::Carried carried) {
  input(slot, shape, dtype);
  carrying_.back() = carried;
  return *this;
}

InferProbe& InferProbe::host_values(const std::string& slot,
                                    const std::vector<std::int64_t>& values) {
  const Shape shape{static_cast<std::int64_t>(values.size())};
  inputs_.emplace_back(
      slot,
      ops::InferArgument{{kInt64, shape}, slot + "_in", Tensor::from<std::int64_t>(values, shape)});
  carrying_.push_back(ops::Carried::kNothing);
  return *this;
}

InferProbe& InferProbe::attr(const std::string& name, Attribute value) {
  attributes_.insert_or_assign(name, std::move(value));
  return *this;
}

std::vector<ops::TensorType> InferProbe::types() const {
  return with_inference(op_, inputs_, attributes_, [](const ops::InferContext& ctx) {
    std::vector<ops::TensorType> result;
    for (const auto& slot : ctx.outputs()) result.insert(result.end(), slot.begin(), slot.end());
    return result;
  });
}

ops::Cost InferProbe::cost() const {
  return with_inference(op_, inputs_, attributes_,
                        [](const ops::InferContext& ctx) { return ctx.schema().cost_fn()(ctx); });
}

bool InferProbe::is_batch_independent() const {
  return with_inference(op_, inputs_, attributes_, [this](const ops::InferContext& ctx) {
    std::vector<std::vector<ops::Carried>> carrying(ctx.schema().inputs().size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const int slot = ctx.schema().input_index(inputs_[i].first);
      carrying[static_cast<std::size_t>(slot)].push_back(carrying_[i]);
    }
    ops::BatchContext rows(ctx, std::move(carrying));
    return ops::is_batch_independent(rows);
  });
}

std::string InferProbe::error() const {
  try {
    (void)types();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) throw;
    return error.what();
  }
  return "no error";
}

}  // namespace loci::test_support
