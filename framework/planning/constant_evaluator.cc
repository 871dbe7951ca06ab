#include "framework/planning/constant_evaluator.h"

#include <fmt/format.h>

#include <loci/executor.hpp>

#include "framework/program/guard_text.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::planning {
namespace {

using program::Block;
using program::Operator;
using program::Slot;
using program::VarId;
using Values = std::vector<std::vector<Tensor>>;

bool touches_floats(const Operator& op, const Block& block, const Values& inputs) {
  for (const std::vector<Tensor>& slot : inputs) {
    for (const Tensor& value : slot) {
      if (value.defined() && is_floating(value.dtype())) return true;
    }
  }
  for (const Slot& slot : op.outputs) {
    for (const VarId id : slot) {
      if (is_floating(block.var(id).type.dtype)) return true;
    }
  }
  return false;
}

// Makes an argument of which only dtype and shape are read.
Tensor without_elements(const ops::TensorType& type) {
  return Tensor(std::make_shared<tensor::TensorImpl>(type.dtype, type.shape,
                                                     std::make_shared<tensor::Storage>()));
}

// The operator alone in a program, with its inputs as data.
class Alone {
 public:
  Alone(const Operator& op, const Block& block, const Values& inputs) {
    Operator copy = op;
    copy.guard.clear();
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      for (std::size_t i = 0; i < op.inputs[slot].size(); ++i) {
        const Tensor& value = inputs[slot][i];
        const ops::TensorType& type = block.var(op.inputs[slot][i]).type;
        copy.inputs[slot][i] = add(type, /*is_data=*/true);
        feed_.emplace_back(name_, value.defined() ? value : without_elements(type));
      }
    }
    for (Slot& slot : copy.outputs) {
      for (VarId& id : slot) {
        id = add(block.var(id).type, /*is_data=*/false);
        fetch_.emplace_back(name_);
      }
    }
    program_.impl()->main().ops.push_back(std::move(copy));
  }

  [[nodiscard]] std::vector<Tensor> run() const {
    return Executor("cpu", CompileOptions::none(), Scope()).run(program_, feed_, fetch_);
  }

 private:
  VarId add(const ops::TensorType& type, bool is_data) {
    name_ = fmt::format("v{}", program_.impl()->main().vars.size());
    program::VarDesc desc;
    desc.name = name_;
    desc.type = type;
    desc.is_data = is_data;
    return program_.impl()->main().add_var(std::move(desc));
  }

  Program program_;
  Feed feed_;
  std::vector<Fetch> fetch_;
  std::string name_;  // of the variable that was added last
};

}  // namespace

passes::Evaluate constant_evaluator(const Place& preferred) {
  return [preferred](const Operator& op, const Block& block,
                     const Values& inputs) -> std::optional<std::vector<Tensor>> {
    const Place place = op.guard.empty() ? preferred : program::guarded_place(op.guard);
    if (place.type() != "cpu" && touches_floats(op, block, inputs)) return std::nullopt;
    try {
      return Alone(op, block, inputs).run();
    } catch (const Error&) {
      // The run will meet the same error, and name the operator as the user wrote it.
      return std::nullopt;
    }
  };
}

}  // namespace loci::planning
