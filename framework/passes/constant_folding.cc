#include <algorithm>
#include <cmath>

#include "framework/passes/known_values.h"
#include "framework/passes/pass.h"
#include "framework/program/control_flow.h"

namespace loci::passes {
namespace {

using program::Block;
using program::Operator;
using program::Slot;
using program::VarId;

class Folder {
 public:
  Folder(Block& block, const PassContext& context)
      : block_(block), values_(block, context.evaluate, context.sizes), sizes_(context.sizes) {}

  void run() {
    std::vector<Operator> folded;
    for (Operator& op : block_.ops) {
      read_lists(op);
      if (!program::is_branching(op)) {
        infer(op);
      } else {
        infer_branches(op);
      }
      if (values_.note(op)) {
        for (Operator& constant : values_.constants_for(op)) folded.push_back(std::move(constant));
      } else {
        folded.push_back(std::move(op));
      }
    }
    block_.ops = std::move(folded);
    if (sizes_ != nullptr) sizes_->note_types(block_);
  }

 private:
  // The input "<attribute>_tensor" stands for the attribute.
  void read_lists(Operator& op) {
    constexpr std::string_view kSuffix = "_tensor";
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const std::string& slot = op.schema->inputs()[i].name;
      if (op.inputs[i].size() != 1 || slot.size() <= kSuffix.size()) continue;
      const std::size_t stem = slot.size() - kSuffix.size();
      if (slot.compare(stem, kSuffix.size(), kSuffix) != 0) continue;
      const auto attribute = op.attributes.find(slot.substr(0, stem));
      if (attribute == op.attributes.end()) continue;
      if (values_.read(op.inputs[i].front(), &attribute->second)) op.inputs[i].clear();
    }
  }

  // Types that the program could not know when it was built: now extents of feeds are known.
  void infer(const Operator& op) {
    const auto types = values_.infer(op);
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      for (std::size_t i = 0; i < op.outputs[slot].size(); ++i) {
        program::VarDesc& var = block_.var(op.outputs[slot][i]);
        if (!var.persistable) var.type = types[slot][i];
      }
    }
  }

  // Shapes that do not fit are no error in a branch that is not taken.
  void infer_branches(const Operator& op) {
    try {
      infer(op);
    } catch (const Error&) {
      for (const VarId id : op.outputs.front()) {
        ops::TensorType& type = block_.var(id).type;
        for (int axis = 0; axis < type.shape.rank(); ++axis) type.shape.set(axis, kDynamicDim);
      }
    }
  }

  Block& block_;
  KnownValues values_;
  SizeNotes* sizes_;
};

// Infers types anew, from those of data and persistable variables, and replaces operators all of
// whose inputs are known by assign_value; a list that is read on the host and known becomes the
// attribute that it stands for. Small values only.
void fold_constants(Block& block, const PassContext& context) { Folder(block, context).run(); }

}  // namespace

Pass constant_folding() {
  return {"computes once what depends on constants and known shapes only", fold_constants};
}

}  // namespace loci::passes
