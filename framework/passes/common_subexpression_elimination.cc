#include <fmt/format.h>

#include <numeric>
#include <unordered_map>

#include "framework/passes/pass.h"

namespace loci::passes {
namespace {

using program::Block;
using program::Operator;
using program::Slot;
using program::VarId;

class Merger {
 public:
  Merger(Block& block, const PassContext& context)
      : block_(block), context_(context), same_(block.vars.size()), version_(block.vars.size()) {
    std::iota(same_.begin(), same_.end(), VarId{0});
  }

  void run() {
    std::vector<Operator> kept;
    for (Operator& op : block_.ops) {
      for (Slot& slot : op.inputs) {
        for (VarId& id : slot) id = same_[static_cast<std::size_t>(id)];
      }
      if (merge(op)) continue;
      note_changes(op);
      kept.push_back(std::move(op));
    }
    block_.ops = std::move(kept);
  }

 private:
  bool merge(const Operator& op) {
    if (!is_pure(op, block_)) return false;
    const auto [earlier, is_new] = computed_.emplace(key(op), op.outputs);
    if (is_new || is_kept(op)) return false;
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      for (std::size_t i = 0; i < op.outputs[slot].size(); ++i) {
        same_[static_cast<std::size_t>(op.outputs[slot][i])] = earlier->second[slot][i];
      }
    }
    return true;
  }

  // Everything that the outputs depend on. State has a version, which grows when it changes.
  [[nodiscard]] std::string key(const Operator& op) const {
    std::string text = fmt::format("{}|{}", op.type(), op.guard);
    for (const auto& [name, value] : op.attributes) {
      text += fmt::format("|{}={}:{}", name, value.index(), exact_text(value));
    }
    for (const Slot& slot : op.inputs) {
      text += '/';
      for (const VarId id : slot) {
        text += fmt::format(" {}.{}", id, version_[static_cast<std::size_t>(id)]);
      }
    }
    for (const Slot& slot : op.outputs) text += fmt::format(">{}", slot.size());
    return text;
  }

  // to_string() is for people: it rounds.
  static std::string exact_text(const Attribute& value) {
    if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:a}", *real);
    if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
      std::string text;
      for (const double real : *reals) text += fmt::format("{:a},", real);
      return text;
    }
    return to_string(value);
  }

  [[nodiscard]] bool is_kept(const Operator& op) const {
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) {
        if (context_.kept[static_cast<std::size_t>(id)]) return true;
      }
    }
    return false;
  }

  void note_changes(const Operator& op) {
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) ++version_[static_cast<std::size_t>(id)];
    }
  }

  Block& block_;
  const PassContext& context_;
  std::vector<VarId> same_;   // by variable: the one to read instead
  std::vector<int> version_;  // by variable: how often it was written
  std::unordered_map<std::string, std::vector<Slot>> computed_;
};

// Removes an operator that computes what an earlier one does; its readers read the earlier one.
void merge_common_subexpressions(Block& block, const PassContext& context) {
  Merger(block, context).run();
}

}  // namespace

Pass common_subexpression_elimination() {
  return {"computes equal expressions once", merge_common_subexpressions};
}

}  // namespace loci::passes
