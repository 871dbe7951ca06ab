#include "framework/program/test_form.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "framework/program/compact.h"
#include "framework/program/control_flow.h"

namespace loci::program {
namespace {

constexpr const char* kIsTest = "is_test";

void set_test(Block& block) {
  for (Operator& op : block.ops) {
    const auto found = op.attributes.find(kIsTest);
    if (found != op.attributes.end() && std::holds_alternative<bool>(found->second)) {
      found->second = true;
    }
    edit_blocks(op, set_test);
  }
}

bool trains(const Operator& op) { return op.role == Role::kBackward || op.role == Role::kUpdate; }

void mark(const Operator& op, std::vector<bool>* used) {
  for (const auto& slots : {op.inputs, op.outputs}) {
    for (const Slot& slot : slots) {
      for (const VarId id : slot) {
        if (id != kNoVar) (*used)[static_cast<std::size_t>(id)] = true;
      }
    }
  }
}

void remove_training(Block* block) {
  std::vector<bool> by_training(block->vars.size());
  std::vector<bool> by_others(block->vars.size());
  for (const Operator& op : block->ops) mark(op, trains(op) ? &by_training : &by_others);
  for (std::size_t i = 0; i < block->vars.size(); ++i) {
    if (by_training[i] && !by_others[i]) block->vars[i].persistable = false;
  }
  block->ops.erase(std::remove_if(block->ops.begin(), block->ops.end(), trains), block->ops.end());
}

}  // namespace

void make_test_form(ProgramImpl* program) {
  for (Block& block : program->blocks()) set_test(block);
  remove_training(&program->main());
  drop_unused_variables(program);
}

}  // namespace loci::program
