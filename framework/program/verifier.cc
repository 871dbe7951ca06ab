#include "framework/program/verifier.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "framework/core/raise.h"
#include "framework/program/builder.h"
#include "framework/program/control_flow.h"
#include "framework/program/guard_text.h"
#include "framework/program/printer.h"

namespace loci::program {
namespace {

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// The thing that is looked at; put into words for an error only.
struct Position {
  const char* list = nullptr;  // null: the block itself
  std::size_t index = 0;
  const std::string* name = nullptr;

  [[nodiscard]] std::string text() const {
    return list == nullptr ? std::string() : fmt::format(".{}[{}] ('{}')", list, index, *name);
  }
};

class BlockVerifier {
 public:
  // `depth` is 0 for the block of a program.
  BlockVerifier(const Block& block, const std::string& where, int depth)
      : block_(block),
        where_(where),
        depth_(depth),
        defined_(block.vars.size()),
        computed_(block.vars.size()) {}

  void run() {
    if (block_.index.size() != block_.vars.size()) fail("two variables have one name");
    for (std::size_t i = 0; i < block_.vars.size(); ++i) {
      position_ = {"variables", i, &block_.vars[i].name};
      guarded([&] { check_var(static_cast<VarId>(i)); });
    }
    position_ = {};
    check_list("arguments", block_.arguments, false);
    check_list("results", block_.results, true);
    for (const VarId id : block_.arguments) defined_[at(id)] = true;
    op_names_.reserve(block_.ops.size());
    for (std::size_t i = 0; i < block_.ops.size(); ++i) {
      position_ = {"operators", i, &block_.ops[i].name};
      guarded([&] { check_operator(block_.ops[i]); });
    }
    for (std::size_t i = 0; i < block_.vars.size(); ++i) {
      position_ = {"variables", i, &block_.vars[i].name};
      if (!defined_[i]) fail("is neither fed nor persistable nor computed; remove it");
    }
  }

 private:
  static std::size_t at(VarId id) { return static_cast<std::size_t>(id); }

  [[noreturn]] void fail(const std::string& reason) const {
    core::raise(ErrorCode::kDataLoss, "[program] {}{}: {}", where_, position_.text(), reason);
  }
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail(fmt::format(format, std::forward<Args>(args)...));
  }

  // Anything that schemas, places and shapes refuse is damage here.
  template <class Check>
  void guarded(const Check& check) const {
    try {
      check();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kDataLoss) throw;
      fail(error.what());
    }
  }

  void check_var(VarId id) {
    const VarDesc& var = block_.var(id);
    if (block_.find(var.name) != id) fail("is not found under its name");
    const auto size = static_cast<std::int64_t>(dtype_size(var.type.dtype));
    // Only branches make values of which the run alone knows the type.
    const bool may_be_unknown = !var.is_data && !var.persistable && var.type.shape.rank() == 0;
    if (size == 0 && !may_be_unknown) fail("has no dtype");
    const bool is_static = var.type.shape.is_static();
    if (is_static && size > 0 &&
        var.type.shape.numel() > std::numeric_limits<std::int64_t>::max() / size) {
      refuse("{} has more bytes than fit in 63 bits", type_text(var.type));
    }
    if (var.trainable && !var.persistable) fail("is trainable, so it must be persistable");
    if (!var.guard.empty()) (void)guarded_place(var.guard);
    if (var.name == kRandomStateName &&
        (!var.persistable || !(var.type == ops::TensorType{kUInt64, Shape{2}}))) {
      refuse("random state is a persistable uint64[2], not {}", type_text(var.type));
    }
    if (depth_ > 0 && var.is_data) fail("is in a block, which nothing is fed to");
    defined_[at(id)] = depth_ == 0 && (var.is_data || var.persistable);
  }

  void check_list(const char* what, const std::vector<VarId>& ids, bool repeats) const {
    std::unordered_set<VarId> seen;
    for (const VarId id : ids) {
      if (!exists(id)) refuse("{} refer to variable {}, which is not there", what, id);
      if (!seen.insert(id).second && !repeats) {
        refuse("{} have '{}' twice", what, block_.var(id).name);
      }
    }
  }

  [[nodiscard]] bool exists(VarId id) const { return id >= 0 && at(id) < block_.vars.size(); }

  void check_operator(const Operator& op) {
    if (op.schema == nullptr) fail("has no type");
    if (op.name.empty()) fail("needs a name that is not empty");
    if (has_control(op.name) || has_control(op.scope) || has_control(op.origin)) {
      fail("has a control character in its name, scope or origin; leave it out");
    }
    if (!op_names_.insert(op.name).second) fail("another operator has that name");
    if (!op.guard.empty()) (void)guarded_place(op.guard);
    if (op.schema->complete(op.attributes).size() != op.attributes.size()) {
      fail("lacks attributes that its schema has");
    }
    check_inputs(op);
    check_blocks(op);
    check_outputs(op);
  }

  void check_blocks(const Operator& op) const {
    if (op.blocks.empty() && !op.schema->has_blocks()) return;
    if (!op.schema->has_blocks()) refuse("has blocks, but {} takes none", op.type());
    if (depth_ >= kMostBlockDepth) refuse("is nested deeper than {} blocks", kMostBlockDepth);
    for (std::size_t i = 0; i < op.blocks.size(); ++i) {
      const std::string where = fmt::format("{}{}.blocks[{}]", where_, position_.text(), i);
      BlockVerifier(*op.blocks[i], where, depth_ + 1).run();
      check_state(op, *op.blocks[i], where);
    }
  }

  // A block knows the state that it is given by its name.
  void check_state(const Operator& op, const Block& inner, const std::string& where) const {
    const std::vector<VarId> given = block_inputs(op);
    for (std::size_t i = 0; i < inner.arguments.size() && i < given.size(); ++i) {
      const VarDesc& taken = inner.var(inner.arguments[i]);
      const VarDesc& outside = block_.var(given[i]);
      if (!taken.persistable) continue;
      if (outside.persistable && outside.name == taken.name) continue;
      core::raise(ErrorCode::kDataLoss, "[program] {}: takes '{}' as the state '{}'", where,
                  outside.name, taken.name);
    }
  }

  void check_inputs(const Operator& op) const {
    const auto& slots = op.schema->inputs();
    if (op.inputs.size() != slots.size()) {
      refuse("has {} input slots, but {} has {}", op.inputs.size(), op.type(), slots.size());
    }
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      for (const VarId id : op.inputs[slot]) {
        if (!exists(id)) refuse("input '{}' refers to no variable", slots[slot].name);
        if (defined_[at(id)]) continue;
        refuse(
            "input '{}' reads '{}', which no earlier operator computes; operators must follow "
            "what they read",
            slots[slot].name, block_.var(id).name);
      }
    }
  }

  void check_outputs(const Operator& op) {
    const auto types = infer_outputs(block_, op);
    const std::vector<VarId> states = changed_states(op);
    const auto& slots = op.schema->outputs();
    if (op.outputs.size() != slots.size()) {
      refuse("has {} output slots, but {} has {}", op.outputs.size(), op.type(), slots.size());
    }
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      if (op.outputs[slot].size() != types[slot].size()) {
        refuse("output '{}' has {} variable(s), but the operator gives {}", slots[slot].name,
               op.outputs[slot].size(), types[slot].size());
      }
      for (std::size_t i = 0; i < types[slot].size(); ++i) {
        check_output(op, slots[slot], op.outputs[slot][i], types[slot][i]);
        const bool is_state = op.schema->has_blocks() && !slots[slot].updates.empty();
        if (is_state && op.outputs[slot] != states) {
          refuse("output '{}' must be the state that its blocks change", slots[slot].name);
        }
      }
    }
  }

  void check_output(const Operator& op, const ops::OutputSlot& slot, VarId id,
                    const ops::TensorType& type) {
    if (!exists(id)) refuse("output '{}' refers to no variable", slot.name);
    const VarDesc& var = block_.var(id);
    if (!compatible(var.type, type)) {
      refuse("output '{}' is {}, but '{}' is {}", slot.name, type_text(type), var.name,
             type_text(var.type));
    }
    if (!slot.updates.empty()) {
      const Slot& state = op.inputs[static_cast<std::size_t>(op.schema->input_index(slot.updates))];
      const bool is_one = slot.arity == ops::Arity::kVariadic || state.size() == 1;
      if (!is_one || std::find(state.begin(), state.end(), id) == state.end()) {
        refuse("output '{}' must be the variable of input '{}'", slot.name, slot.updates);
      }
      if (!var.persistable) {
        refuse("changes '{}' in place, which is not persistable", var.name);
      }
      return;
    }
    if (var.is_data) refuse("computes '{}', which is fed", var.name);
    if (computed_[at(id)]) refuse("computes '{}', which an earlier operator does too", var.name);
    computed_[at(id)] = true;
    defined_[at(id)] = true;
  }

  const Block& block_;
  const std::string& where_;
  int depth_;
  Position position_;
  std::vector<bool> defined_;   // may be read by the next operator
  std::vector<bool> computed_;  // has a producer
  std::unordered_set<std::string> op_names_;
};

}  // namespace

bool compatible(const ops::TensorType& a, const ops::TensorType& b) {
  if (a.dtype != b.dtype || a.shape.rank() != b.shape.rank()) return false;
  for (int axis = 0; axis < a.shape.rank(); ++axis) {
    const bool known = a.shape[axis] != kDynamicDim && b.shape[axis] != kDynamicDim;
    if (known && a.shape[axis] != b.shape[axis]) return false;
  }
  return true;
}

void verify(const ProgramImpl& program, const std::string& where) {
  BlockVerifier(program.main(), where, 0).run();
}

}  // namespace loci::program
