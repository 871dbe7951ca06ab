#include "framework/autograd/backward.h"

#include <algorithm>
#include <loci/ops.hpp>
#include <utility>

#include "framework/autograd/block_gradient.h"
#include "framework/autograd/program_emitter.h"
#include "framework/core/raise.h"
#include "framework/program/builder.h"
#include "framework/program/printer.h"
#include "framework/program/transaction.h"
#include "framework/program/verifier.h"

namespace loci {
namespace autograd {
namespace {

using program::Block;
using program::kNoVar;
using program::Operator;
using program::Slot;
using program::VarId;

std::size_t at(VarId id) { return static_cast<std::size_t>(id); }

// One after the other along axis 0.
ops::Value joined(const std::vector<ops::Value>& parts) {
  if (parts.size() == 1) return parts.front();
  return OpCall<ops::Value>("concat").inputs_of("x", parts).attr("axis", std::int64_t{0}).result();
}

// The gradient of one variable while its readers are visited.
struct Gradient {
  VarId value = kNoVar;
  VarId rows = kNoVar;                 // of which `value` is, once all is summed
  std::vector<ops::RowSparse> sparse;  // contributions that are rows
  int contributions = 0;
  std::size_t reader = 0;     // the operator that contributed last
  std::int64_t changer = -1;  // changes the variable in place before the readers so far
};

class Backward {
 public:
  // A seed without a gradient is the loss, whose gradient is one.
  Backward(program::ProgramImpl& program, std::vector<Seed> seeds,
           const std::vector<VarId>& targets, SparseGradients sparse)
      : program_(program),
        keeps_rows_(sparse == SparseGradients::kKeep),
        block_(program.main()),
        seeds_(std::move(seeds)),
        targets_(targets),
        old_vars_(block_.vars.size()),
        needed_(old_vars_),
        is_target_(old_vars_),
        gradients_(old_vars_),
        emitter_(program) {}

  std::vector<GradientVar> run() {
    for (const VarId id : targets_) is_target_[at(id)] = needed_[at(id)] = is_floating(id);
    const std::size_t end = end_of_region();
    for (std::size_t i = 0; i < end; ++i) spread(block_.ops[i]);
    if (std::any_of(seeds_.begin(), seeds_.end(),
                    [&](const Seed& seed) { return needed_[at(seed.output)]; })) {
      walk(end);
    }
    std::vector<GradientVar> result;
    for (const VarId id : targets_) {
      result.push_back({gradients_[at(id)].value, gradients_[at(id)].rows});
    }
    return result;
  }

  [[nodiscard]] bool wants(const Operator& op) const {
    return (op.schema->gradient_fn() || has_block_gradient(op)) &&
           any(op.inputs, [&](VarId id) { return needed_[at(id)]; });
  }
  [[nodiscard]] bool needs(VarId id) const { return needed_[at(id)]; }
  [[nodiscard]] VarId gradient(VarId id) const {
    // At a target that holds gradients back they end.
    return block_.var(id).stop_gradient ? kNoVar : gradients_[at(id)].value;
  }
  ProgramEmitter& emitter() { return emitter_; }

  void contribute(const Operator& op, VarId id, VarId contribution) {
    const program::VarDesc& var = block_.var(id);
    if (!program::compatible(var.type, block_.var(contribution).type)) {
      core::raise(ErrorCode::kInternal, "[{}] its gradient for '{}' is {}, but that is {}",
                  op.type(), var.name, program::type_text(block_.var(contribution).type),
                  program::type_text(var.type));
    }
    Gradient& sum = gradients_[at(id)];
    note_reader(sum, id);
    add_dense(sum, id, contribution);
  }

  void contribute_rows(VarId id, const ops::RowSparse& contribution) {
    Gradient& sum = gradients_[at(id)];
    note_reader(sum, id);
    sum.sparse.push_back(contribution);
  }

 private:
  void note_reader(Gradient& sum, VarId id) const {
    if (sum.changer >= 0) refuse_change(static_cast<std::size_t>(sum.changer), id);
    sum.reader = current_;
  }

  void add_dense(Gradient& sum, VarId id, VarId contribution) {
    if (++sum.contributions == 1) {
      sum.value = contribution;
      return;
    }
    if (sum.contributions == 2) name_contribution(sum.value, id, 0);
    name_contribution(contribution, id, sum.contributions - 1);
    sum.value = elementwise_add(emitter_.value(sum.value), emitter_.value(contribution)).id;
  }

  // Rows become a gradient of the variable's shape.
  void make_dense(Gradient& sum, VarId id) {
    for (const ops::RowSparse& part : std::exchange(sum.sparse, {})) {
      const ops::Value dense = OpCall<ops::Value>("embedding_grad")
                                   .input("weight", emitter_.value(id))
                                   .input("ids", part.rows)
                                   .input("out_grad", part.values)
                                   .result();
      add_dense(sum, id, dense.id);
    }
  }

  // Rows stay rows: those of several readers, one after the other.
  void join_rows(Gradient& sum, VarId id) {
    std::vector<ops::Value> rows;
    std::vector<ops::Value> values;
    for (const ops::RowSparse& part : std::exchange(sum.sparse, {})) {
      rows.push_back(part.rows);
      values.push_back(part.values);
    }
    sum.rows = joined(rows).id;
    sum.value = joined(values).id;
    const std::string& name = block_.var(id).name;
    if (!is_named(sum.rows)) rename(sum.rows, name + "@GRAD@ROWS");
    if (!is_named(sum.value)) rename(sum.value, name + "@GRAD");
  }

  template <class Predicate>
  static bool any(const std::vector<Slot>& slots, const Predicate& predicate) {
    for (const Slot& slot : slots) {
      for (const VarId id : slot) {
        if (predicate(id)) return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool is_floating(VarId id) const {
    return loci::is_floating(block_.var(id).type.dtype);
  }

  [[nodiscard]] bool is_seed(VarId id) const {
    return std::any_of(seeds_.begin(), seeds_.end(),
                       [id](const Seed& seed) { return seed.output == id; });
  }

  // One past the operator that computes the loss; 0 if none does.
  [[nodiscard]] std::size_t end_of_region() const {
    for (std::size_t i = block_.ops.size(); i > 0; --i) {
      if (any(block_.ops[i - 1].outputs, [&](VarId id) { return is_seed(id); })) return i;
    }
    return 0;
  }

  // From the targets forward: what depends on them.
  void spread(const Operator& op) {
    if (!wants(op)) return;
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) {
        if (!block_.var(id).stop_gradient && is_floating(id)) needed_[at(id)] = true;
      }
    }
  }

  [[noreturn]] void refuse_change(std::size_t changer, VarId id) const {
    core::raise(ErrorCode::kInvalidArgument,
                "[gradients] '{}' changes '{}' in place between its readers, so it has two values "
                "and no one gradient; let the gradient stop at it with set_stop_gradient(true)",
                block_.ops[changer].name, block_.var(id).name);
  }

  void walk(std::size_t end) {
    for (const Seed& seed : seeds_) plant(seed, end);
    for (std::size_t i = end; i-- > 0;) visit(i);
    // Targets that no operator computes: all their readers have been visited by now.
    for (const VarId id : targets_) {
      const std::size_t reader = gradients_[at(id)].reader;
      if (reader < end) emitter_.enter(block_.ops[reader], reader);
      finish(id, keeps_rows_);
    }
  }

  void plant(const Seed& seed, std::size_t end) {
    const VarId id = seed.output;
    if (!needed_[at(id)]) return;
    VarId grad = seed.gradient;
    if (grad == kNoVar) {
      const std::string guard = end == 0 ? block_.var(id).guard : block_.ops[end - 1].guard;
      grad = emitter_.ones(block_.var(id).type, guard);
    }
    add_dense(gradients_[at(id)], id, grad);
  }

  void visit(std::size_t index);
  void append_block_gradient_of(const Operator& op);
  void note_change(std::size_t index, VarId id);

  // All readers have contributed: the sum gets its name.
  void finish(VarId id, bool may_have_rows) {
    Gradient& sum = gradients_[at(id)];
    if (may_have_rows && !sum.sparse.empty() && sum.value == kNoVar) return join_rows(sum, id);
    make_dense(sum, id);
    if (sum.value == kNoVar || sum.contributions == 0) return;
    sum.contributions = 0;
    if (is_target_[at(id)] && is_named(sum.value)) {
      sum.value = assign(emitter_.value(sum.value)).id;
    }
    if (!is_named(sum.value)) rename(sum.value, block_.var(id).name + "@GRAD");
  }

  void name_contribution(VarId contribution, VarId of, int number) {
    if (is_named(contribution)) return;
    rename(contribution, fmt::format("{}@GRAD@{}", block_.var(of).name, number));
  }

  // Whether it is a gradient, or a part of one, of a variable already; or no gradient of ours.
  [[nodiscard]] bool is_named(VarId id) const {
    const std::size_t fresh = at(id) - old_vars_;
    return at(id) < old_vars_ || (fresh < named_.size() && named_[fresh]);
  }

  void rename(VarId id, const std::string& name) {
    const bool taken = block_.find(name) != kNoVar;
    block_.rename_var(id, taken ? program_.unique_name(name) : name);
    const std::size_t fresh = at(id) - old_vars_;
    if (named_.size() <= fresh) named_.resize(fresh + 1);
    named_[fresh] = true;
  }

  program::ProgramImpl& program_;
  bool keeps_rows_;
  Block& block_;
  std::vector<Seed> seeds_;
  const std::vector<VarId>& targets_;
  std::size_t old_vars_;
  // By variable that was there before.
  std::vector<bool> needed_;
  std::vector<bool> is_target_;
  std::vector<Gradient> gradients_;
  std::vector<bool> named_;  // by variable that came since
  std::size_t current_ = 0;  // the operator that is visited
  ProgramEmitter emitter_;
};

// One operator of the program, seen from its gradient.
class OperatorGradient final : public ops::GradContext {
 public:
  OperatorGradient(Backward& walk, const Operator& op) : walk_(walk), op_(op) {}

  [[nodiscard]] ops::Value input(std::string_view slot, std::size_t index) const override {
    return walk_.emitter().value(element(inputs(slot), index));
  }
  [[nodiscard]] std::size_t input_count(std::string_view slot) const override {
    return inputs(slot).size();
  }
  [[nodiscard]] ops::Value output(std::string_view slot, std::size_t index) const override {
    return walk_.emitter().value(element(outputs(slot), index));
  }
  [[nodiscard]] ops::Value output_grad(std::string_view slot, std::size_t index) const override {
    const VarId id = element(outputs(slot), index);
    return walk_.emitter().value(id == kNoVar ? kNoVar : walk_.gradient(id));
  }
  [[nodiscard]] bool needs_grad(std::string_view slot, std::size_t index) const override {
    const VarId id = element(inputs(slot), index);
    return id != kNoVar && walk_.needs(id);
  }
  void set_input_grad(std::string_view slot, ops::Value grad, std::size_t index) override {
    if (grad.defined() && needs_grad(slot, index)) {
      walk_.contribute(op_, element(inputs(slot), index), grad.id);
    }
  }
  void set_input_grad_rows(std::string_view slot, const ops::RowSparse& grad,
                           std::size_t index) override {
    if (needs_grad(slot, index)) walk_.contribute_rows(element(inputs(slot), index), grad);
  }
  [[nodiscard]] const Attributes& attributes() const override { return op_.attributes; }

 private:
  static VarId element(const Slot& slot, std::size_t index) {
    return index < slot.size() ? slot[index] : kNoVar;
  }
  [[nodiscard]] const Slot& inputs(std::string_view slot) const {
    return named(op_.inputs, op_.schema->input_index(slot), slot);
  }
  [[nodiscard]] const Slot& outputs(std::string_view slot) const {
    return named(op_.outputs, op_.schema->output_index(slot), slot);
  }
  [[nodiscard]] const Slot& named(const std::vector<Slot>& slots, int index,
                                  std::string_view name) const {
    if (index < 0) {
      core::raise(ErrorCode::kInternal, "[{}] its gradient asks for the slot '{}', which it lacks",
                  op_.type(), name);
    }
    return slots[static_cast<std::size_t>(index)];
  }

  Backward& walk_;
  const Operator& op_;
};

void Backward::visit(std::size_t index) {
  // A copy: what the gradient emits moves the operators.
  const Operator op = block_.ops[index];
  current_ = index;
  const bool is_wanted = wants(op);
  emitter_.enter(op, index);
  bool reached = false;
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    const bool updates = !op.schema->outputs()[slot].updates.empty();
    for (const VarId id : op.outputs[slot]) {
      if (updates) {
        note_change(index, id);
      } else if (is_wanted) {
        finish(id, /*may_have_rows=*/false);
        reached = reached || gradient(id) != kNoVar;
      }
    }
  }
  if (!reached) return;
  if (has_block_gradient(op)) return append_block_gradient_of(op);
  OperatorGradient context(*this, op);
  op.schema->gradient_fn()(context);
}

void Backward::append_block_gradient_of(const Operator& op) {
  std::vector<VarId> grads;
  for (const VarId id : op.outputs.front()) grads.push_back(gradient(id));
  append_block_gradient({op, grads, [this](VarId id) { return needs(id); },
                         [&](VarId id, VarId grad) { contribute(op, id, grad); }},
                        program_, emitter_);
}

// Readers before the change see another value than those after it.
void Backward::note_change(std::size_t index, VarId id) {
  if (gradients_[at(id)].value != kNoVar || !gradients_[at(id)].sparse.empty()) {
    gradients_[at(id)].changer = static_cast<std::int64_t>(index);
  }
}

void check_loss(const program::VarDesc& loss) {
  const Shape& shape = loss.type.shape;
  if (is_floating(loss.type.dtype) && shape.is_static() && shape.numel() == 1) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[gradients] the loss '{}' is {}; it must be one floating element, such as mean() "
              "gives",
              loss.name, program::type_text(loss.type));
}

}  // namespace

std::vector<GradientVar> append_gradients(program::ProgramImpl& program, VarId loss,
                                          const std::vector<VarId>& targets,
                                          SparseGradients sparse) {
  check_loss(program.main().var(loss));
  program::Transaction transaction(program);
  std::vector<GradientVar> result = Backward(program, {{loss, kNoVar}}, targets, sparse).run();
  program.touch();
  transaction.commit();
  return result;
}

std::vector<VarId> append_gradients_from(program::ProgramImpl& program,
                                         const std::vector<Seed>& seeds,
                                         const std::vector<VarId>& targets) {
  std::vector<VarId> result;
  for (const GradientVar& gradient :
       Backward(program, seeds, targets, SparseGradients::kMakeDense).run()) {
    result.push_back(gradient.value);
  }
  return result;
}

}  // namespace autograd

inline namespace v0 {

std::vector<Variable> gradients(const Variable& loss, const std::vector<Variable>& targets) {
  (void)loss.name();  // refuses an undefined one
  std::vector<program::VarId> ids;
  for (const Variable& target : targets) {
    const std::string& name = target.name();
    if (target.program() != loss.program()) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[gradients] '{}' and the loss '{}' belong to different programs", name,
                  loss.name());
    }
    ids.push_back(target.id());
  }
  std::vector<Variable> result;
  for (const auto& gradient : autograd::append_gradients(*loss.program(), loss.id(), ids)) {
    const program::VarId id = gradient.value;
    result.push_back(id == program::kNoVar ? Variable() : Variable(loss.program(), id));
  }
  return result;
}

}  // namespace v0
}  // namespace loci
