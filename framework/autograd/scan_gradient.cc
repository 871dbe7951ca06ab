#include "framework/autograd/scan_gradient.h"

#include <algorithm>
#include <loci/ops.hpp>
#include <utility>

#include "framework/autograd/gradient_block.h"
#include "framework/program/control_flow.h"

namespace loci::autograd {
namespace {

using program::Block;
using program::kNoVar;
using program::Operator;
using program::OperatorSpec;
using program::Slot;
using program::VarId;

using Positions = std::vector<std::size_t>;

// An argument of the gradient's block, and what stands for it outside.
struct Argument {
  std::size_t position = 0;
  VarId outside = kNoVar;
};

class ScanGradient {
 public:
  ScanGradient(const BlockGradient& request, program::ProgramImpl& program, ProgramEmitter& emitter)
      : request_(request),
        op_(request.op),
        body_(*op_.blocks.front()),
        program_(program),
        emitter_(emitter),
        values_(op_.inputs[0]),
        stacked_(op_.inputs[1]),
        captures_(op_.inputs[2]) {}

  void append() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (is_floating(program_.main().var(values_[i]).type.dtype)) carried_.push_back(i);
    }
    for (std::size_t i = values_.size(); i < op_.outputs[0].size() + op_.outputs[1].size(); ++i) {
      if (request_.output_grads[i] != kNoVar) given_.push_back(i);
    }
    taken_ = wanted(stacked_);
    summed_ = wanted(captures_);
    block_ = gradient_block(body_, block_request(), program_);
    contribute(emit());
  }

 private:
  [[nodiscard]] Positions wanted(const Slot& ids) const {
    Positions positions;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (request_.needs(ids[i])) positions.push_back(i);
    }
    return positions;
  }

  [[nodiscard]] static Positions behind(std::size_t first, const Positions& positions) {
    Positions moved = positions;
    for (std::size_t& position : moved) position += first;
    return moved;
  }

  [[nodiscard]] static Positions joined(Positions first, const Positions& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  // Its arguments: those of the body, the gradients of the carried values, those of the stacked
  // outputs' slices, the sums. Its results: the gradients of the values, of the slices, the sums.
  [[nodiscard]] GradientBlockRequest block_request() const {
    return {joined(carried_, given_), joined(carried_, behind(values_.size(), taken_)),
            behind(values_.size() + stacked_.size(), summed_)};
  }

  VarId zeros_like(VarId id) { return full_like(emitter_.value(id), 0.0).id; }

  // The scan from the end carries these: gradients of the values, then sums.
  std::vector<Argument> carried_arguments() {
    std::vector<Argument> arguments;
    const std::size_t first = body_.arguments.size();
    for (std::size_t i = 0; i < carried_.size(); ++i) {
      const VarId grad = request_.output_grads[carried_[i]];
      arguments.push_back(
          {first + i, grad != kNoVar ? grad : zeros_like(op_.outputs[0][carried_[i]])});
    }
    const std::vector<VarId> sums = first_sums(request_, captures_, summed_, emitter_);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      arguments.push_back({first + carried_.size() + given_.size() + i, sums[i]});
    }
    return arguments;
  }

  // The scan takes slices of these, as far as the block uses them.
  std::vector<Argument> stacked_arguments() {
    std::vector<Argument> arguments;
    Positions before;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (uses_argument(*block_, i)) before.push_back(i);
    }
    const std::vector<VarId> again = values_before(before);
    for (std::size_t i = 0; i < before.size(); ++i) arguments.push_back({before[i], again[i]});
    for (std::size_t i = 0; i < stacked_.size(); ++i) {
      const std::size_t position = values_.size() + i;
      if (uses_argument(*block_, position)) arguments.push_back({position, stacked_[i]});
    }
    const std::size_t first = body_.arguments.size() + carried_.size();
    for (std::size_t i = 0; i < given_.size(); ++i) {
      arguments.push_back({first + i, request_.output_grads[given_[i]]});
    }
    // Something has to say how many steps there are.
    const bool is_told = std::get<std::int64_t>(op_.attributes.at("length")) >= 0;
    if (arguments.empty() && !is_told) arguments.push_back({values_.size(), stacked_.front()});
    return arguments;
  }

  std::vector<Argument> captured_arguments() {
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < captures_.size(); ++i) {
      const std::size_t position = values_.size() + stacked_.size() + i;
      if (uses_argument(*block_, position)) arguments.push_back({position, captures_[i]});
    }
    return arguments;
  }

  // These carried values before each step, stacked: the scan once more, with them for its outputs.
  std::vector<VarId> values_before(const Positions& values) {
    if (values.empty()) return {};
    auto block = std::make_shared<Block>(body_);
    block->results.resize(values_.size());
    for (const std::size_t i : values) block->results.push_back(body_.arguments[i]);
    OperatorSpec spec;
    spec.type = "scan";
    spec.attributes = op_.attributes;
    spec.inputs = {{"values", values_}, {"xs", stacked_}, {"captures", captures_}};
    spec.blocks = {std::move(block)};
    const std::vector<VarId> outputs = emitter_.append(std::move(spec));
    return {outputs.begin() + static_cast<std::ptrdiff_t>(values_.size()), outputs.end()};
  }

  std::vector<VarId> emit() {
    OperatorSpec spec;
    spec.type = "scan";
    spec.attributes = {{"reverse", !std::get<bool>(op_.attributes.at("reverse"))},
                       {"length", op_.attributes.at("length")}};
    std::vector<Argument> all = carried_arguments();
    spec.inputs.push_back({"values", outside(all)});
    for (auto& [slot, arguments] :
         {std::pair{"xs", stacked_arguments()}, std::pair{"captures", captured_arguments()}}) {
      spec.inputs.push_back({slot, outside(arguments)});
      all.insert(all.end(), arguments.begin(), arguments.end());
    }
    spec.blocks = {in_order(all)};
    return emitter_.append(std::move(spec));
  }

  static Slot outside(const std::vector<Argument>& arguments) {
    Slot ids;
    for (const Argument& argument : arguments) ids.push_back(argument.outside);
    return ids;
  }

  // With its arguments in that order, and with what it carries for its first results.
  [[nodiscard]] BlockPtr in_order(const std::vector<Argument>& arguments) const {
    std::vector<bool> kept(block_->arguments.size());
    for (const Argument& argument : arguments) kept[argument.position] = true;
    auto block = std::make_shared<Block>(*without_arguments(*block_, kept));
    Slot ordered;
    for (const Argument& argument : arguments) {
      std::size_t index = 0;
      for (std::size_t i = 0; i < argument.position; ++i) index += kept[i] ? 1 : 0;
      ordered.push_back(block->arguments[index]);
    }
    block->arguments = std::move(ordered);
    Slot& results = block->results;
    const auto slices = results.begin() + static_cast<std::ptrdiff_t>(carried_.size());
    std::rotate(slices, slices + static_cast<std::ptrdiff_t>(taken_.size()), results.end());
    return block;
  }

  // In the order of the tape, which has seen the values first, then what slices are taken of.
  void contribute(const std::vector<VarId>& results) {
    const std::size_t sums = carried_.size();
    const std::size_t slices = sums + summed_.size();
    for (std::size_t i = 0; i < summed_.size(); ++i) {
      request_.replace_sum(captures_[summed_[i]], results[sums + i]);
    }
    for (std::size_t i = taken_.size(); i-- > 0;) {
      request_.contribute(stacked_[taken_[i]], results[slices + i]);
    }
    for (std::size_t i = carried_.size(); i-- > 0;) {
      const VarId value = values_[carried_[i]];
      if (request_.needs(value)) request_.contribute(value, results[i]);
    }
  }

  const BlockGradient& request_;
  const Operator& op_;
  const Block& body_;
  program::ProgramImpl& program_;
  ProgramEmitter& emitter_;
  const Slot& values_;
  const Slot& stacked_;
  const Slot& captures_;
  Positions carried_;  // values through which gradients go from step to step
  Positions given_;    // results of the block that are stacked, and have a gradient
  Positions taken_;    // stacked inputs whose gradient is wanted
  Positions summed_;   // captures whose gradient is wanted
  BlockPtr block_;
};

}  // namespace

void append_scan_gradient(const BlockGradient& request, program::ProgramImpl& program,
                          ProgramEmitter& emitter) {
  ScanGradient(request, program, emitter).append();
}

}  // namespace loci::autograd
