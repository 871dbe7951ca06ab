#include "framework/autograd/backward.h"

#include <algorithm>
#include <loci/ops.hpp>
#include <numeric>
#include <utility>

#include "framework/autograd/block_gradient.h"
#include "framework/autograd/gradient_sum.h"
#include "framework/autograd/program_emitter.h"
#include "framework/autograd/reverse_walk.h"
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

// The gradient of one variable while its readers are visited.
struct Pending {
  VarId value = kNoVar;  // once its readers have been visited; of rows, if there are some
  VarId rows = kNoVar;
  GradientSum<ops::RowSparse> sum;
  std::size_t reader = 0;     // the operator that contributed last
  std::int64_t changer = -1;  // changes the variable in place before the readers so far
};

class Backward {
 public:
  // A seed without a gradient is the loss, whose gradient is one.
  Backward(program::ProgramImpl& program, std::vector<Seed> seeds,
           const std::vector<VarId>& targets, SparseGradients sparse, GradientHook* hook = nullptr)
      : program_(program),
        keeps_rows_(sparse == SparseGradients::kKeep),
        hook_(hook),
        block_(program.main()),
        seeds_(std::move(seeds)),
        targets_(targets),
        old_vars_(block_.vars.size()),
        needed_(old_vars_),
        is_target_(old_vars_),
        gradients_(old_vars_),
        emitter_(program) {}

  std::vector<GradientVar> run() {
    walk_back(*this);
    std::vector<GradientVar> result;
    for (const VarId id : targets_) {
      result.push_back({gradients_[at(id)].value, gradients_[at(id)].rows});
    }
    return result;
  }

  // For walk_back(). Steps are operators by their index.
  void mark_needed() {
    for (const VarId id : targets_) is_target_[at(id)] = needed_[at(id)] = is_floating(id);
    const std::size_t end = end_of_region();
    for (std::size_t i = 0; i < end; ++i) spread(block_.ops[i]);
    const bool reaches = std::any_of(seeds_.begin(), seeds_.end(),
                                     [&](const Seed& seed) { return needed_[at(seed.output)]; });
    end_ = reaches ? end : 0;
    is_reached_ = reaches;
  }
  void plant() {
    for (const Seed& seed : seeds_) plant(seed);
  }
  [[nodiscard]] std::vector<std::size_t> steps() const {
    std::vector<std::size_t> latest_first(end_);
    std::iota(latest_first.rbegin(), latest_first.rend(), std::size_t{0});
    return latest_first;
  }
  bool collect(std::size_t index);
  void differentiate(std::size_t index);
  void finish() {
    if (!is_reached_) return;
    // All readers have been visited by now.
    for (const VarId id : targets_) {
      const std::size_t reader = gradients_[at(id)].reader;
      if (reader < end_) emitter_.enter(block_.ops[reader], reader);
      finish(id, keeps_rows_);
    }
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
    add_dense(read(id), id, emitter_.value(contribution));
  }

  [[nodiscard]] VarId running_sum(VarId id) {
    const Pending& pending = read(id);
    return pending.sum.dense.defined() ? pending.sum.dense.id : kNoVar;
  }

  void replace_sum(VarId id, VarId total) {
    Pending& pending = read(id);
    if (pending.sum.count == 1) name_contribution(pending.sum.dense.id, id, 0);
    ++pending.sum.count;
    pending.sum.dense = emitter_.value(total);
    pending.value = total;
  }

  void contribute_rows(VarId id, const ops::RowSparse& contribution) {
    read(id).sum.rows.push_back(contribution);
  }

 private:
  // The gradient of a variable that the operator being visited reads.
  Pending& read(VarId id) {
    Pending& pending = gradients_[at(id)];
    if (pending.changer >= 0) refuse_change(static_cast<std::size_t>(pending.changer), id);
    pending.reader = current_;
    return pending;
  }

  // Names the parts of a sum.
  auto teller(VarId id) {
    return [this, id](const ops::Value& part, std::int32_t number) {
      name_contribution(part.id, id, number);
    };
  }

  void add_dense(Pending& pending, VarId id, ops::Value contribution) {
    pending.sum.add(contribution, teller(id));
    pending.value = pending.sum.dense.id;
  }

  void make_dense(Pending& pending, VarId id) {
    pending.sum.make_dense([&] { return emitter_.value(id); }, teller(id));
    pending.value = pending.sum.dense.defined() ? pending.sum.dense.id : kNoVar;
  }

  void keep_rows(Pending& pending, VarId id) {
    pending.sum.join_rows();
    const ops::RowSparse joined = std::exchange(pending.sum.rows, {}).front();
    pending.rows = joined.rows.id;
    pending.value = joined.values.id;
    const std::string& name = block_.var(id).name;
    if (!is_named(pending.rows)) rename(pending.rows, name + "@GRAD@ROWS");
    if (!is_named(pending.value)) rename(pending.value, name + "@GRAD");
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

  void plant(const Seed& seed) {
    const VarId id = seed.output;
    if (!needed_[at(id)]) return;
    VarId grad = seed.gradient;
    if (grad == kNoVar) {
      const std::string guard = end_ == 0 ? block_.var(id).guard : block_.ops[end_ - 1].guard;
      grad = emitter_.ones(block_.var(id).type, guard);
    }
    add_dense(gradients_[at(id)], id, emitter_.value(grad));
  }

  void append_block_gradient_of(const Operator& op);
  void note_change(std::size_t index, VarId id);

  // All readers have contributed: the sum gets its name.
  void finish(VarId id, bool may_have_rows) {
    Pending& pending = gradients_[at(id)];
    const bool is_watched = hook_ != nullptr && hook_->watches(id);
    if (may_have_rows && !is_watched && pending.sum.is_sparse()) return keep_rows(pending, id);
    make_dense(pending, id);
    if (pending.value == kNoVar || pending.sum.count == 0) return;
    pending.sum.count = 0;
    if (is_target_[at(id)] && is_named(pending.value)) {
      pending.value = assign(emitter_.value(pending.value)).id;
    }
    if (!is_named(pending.value)) rename(pending.value, block_.var(id).name + "@GRAD");
    if (!is_watched) return;
    pending.value = hook_->replace(id, pending.value);
    pending.sum.dense = emitter_.value(pending.value);
  }

  void name_contribution(VarId contribution, VarId of, int number) {
    if (is_named(contribution)) return;
    rename(contribution, fmt::format("{}@GRAD@{}", block_.var(of).name, number));
  }

  // Returns true if it is a gradient already, or a part of one; or no gradient of this walk.
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
  GradientHook* hook_;
  Block& block_;
  std::vector<Seed> seeds_;
  const std::vector<VarId>& targets_;
  std::size_t old_vars_;
  // These three have an entry for each variable that was there before, by its id.
  std::vector<bool> needed_;
  std::vector<bool> is_target_;
  std::vector<Pending> gradients_;
  std::vector<bool> named_;  // by variable that came since
  std::size_t current_ = 0;  // the operator that is visited
  Operator visited_;         // a copy: what is emitted moves the operators
  std::size_t end_ = 0;      // one past the last operator that is
  bool is_reached_ = false;  // a seed depends on a target
  ProgramEmitter emitter_;
};

// One operator of the program, seen from its gradient.
class OperatorGradient final : public ops::SlotGradContext {
 public:
  OperatorGradient(Backward& walk, const Operator& op)
      : SlotGradContext(*op.schema), walk_(walk), op_(op) {}

  [[nodiscard]] const Attributes& attributes() const override { return op_.attributes; }

 private:
  static VarId element(const Slot& slot, std::size_t index) {
    return index < slot.size() ? slot[index] : kNoVar;
  }
  [[nodiscard]] ops::Value input_at(std::size_t slot, std::size_t index) const override {
    return walk_.emitter().value(element(op_.inputs[slot], index));
  }
  [[nodiscard]] std::size_t input_count_at(std::size_t slot) const override {
    return op_.inputs[slot].size();
  }
  [[nodiscard]] ops::Value output_at(std::size_t slot, std::size_t index) const override {
    return walk_.emitter().value(element(op_.outputs[slot], index));
  }
  [[nodiscard]] ops::Value output_grad_at(std::size_t slot, std::size_t index) const override {
    const VarId id = element(op_.outputs[slot], index);
    return walk_.emitter().value(id == kNoVar ? kNoVar : walk_.gradient(id));
  }
  [[nodiscard]] bool needs_grad_at(std::size_t slot, std::size_t index) const override {
    const VarId id = element(op_.inputs[slot], index);
    return id != kNoVar && walk_.needs(id);
  }
  void contribute(std::size_t slot, std::size_t index, ops::Value grad) override {
    walk_.contribute(op_, element(op_.inputs[slot], index), grad.id);
  }
  void contribute(std::size_t slot, std::size_t index, const ops::RowSparse& grad) override {
    walk_.contribute_rows(element(op_.inputs[slot], index), grad);
  }

  Backward& walk_;
  const Operator& op_;
};

bool Backward::collect(std::size_t index) {
  visited_ = block_.ops[index];
  const Operator& op = visited_;
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
  return reached;
}

void Backward::differentiate(std::size_t /*index*/) {
  if (has_block_gradient(visited_)) return append_block_gradient_of(visited_);
  OperatorGradient context(*this, visited_);
  visited_.schema->gradient_fn()(context);
}

void Backward::append_block_gradient_of(const Operator& op) {
  std::vector<VarId> grads;
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    if (!op.schema->outputs()[slot].updates.empty()) continue;
    for (const VarId id : op.outputs[slot]) grads.push_back(gradient(id));
  }
  append_block_gradient({op, grads, [this](VarId id) { return needs(id); },
                         [&](VarId id, VarId grad) { contribute(op, id, grad); },
                         [this](VarId id) { return running_sum(id); },
                         [this](VarId id, VarId total) { replace_sum(id, total); }},
                        program_, emitter_);
}

// Readers before the change see another value than those after it.
void Backward::note_change(std::size_t index, VarId id) {
  if (gradients_[at(id)].sum.defined()) {
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
                                          const std::vector<VarId>& targets, SparseGradients sparse,
                                          GradientHook* hook) {
  check_loss(program.main().var(loss));
  program::Transaction transaction(program);
  std::vector<GradientVar> result =
      Backward(program, {{loss, kNoVar}}, targets, sparse, hook).run();
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
