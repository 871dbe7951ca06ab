#include "framework/program/prune.h"

#include <algorithm>
#include <utility>

#include "framework/core/raise.h"

namespace loci::program {
namespace {

class Pruner {
 public:
  Pruner(const ProgramImpl& program, const std::vector<VarId>& feeds,
         const std::vector<VarId>& fetches)
      : program_(program),
        block_(program.main()),
        feeds_(feeds),
        fetches_(fetches),
        fed_(block_.vars.size()),
        needed_(block_.vars.size()),
        kept_vars_(block_.vars.size()),
        kept_ops_(block_.ops.size()) {}

  std::shared_ptr<ProgramImpl> run() {
    for (const VarId id : feeds_) mark(fed_, id);
    for (const VarId id : fetches_) mark(needed_, id);
    for (const VarId id : feeds_) mark(kept_vars_, id);
    for (const VarId id : fetches_) mark(kept_vars_, id);
    for (std::size_t i = block_.ops.size(); i-- > 0;) visit(i);
    check_fed();
    return copy();
  }

 private:
  static void mark(std::vector<bool>& set, VarId id) { set[static_cast<std::size_t>(id)] = true; }
  static bool has(const std::vector<bool>& set, VarId id) {
    return set[static_cast<std::size_t>(id)];
  }

  // Liveness, from the last operator to the first: a state that is updated is still read before.
  void visit(std::size_t index) {
    const Operator& op = block_.ops[index];
    bool wanted = false;
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) wanted = wanted || (has(needed_, id) && !has(fed_, id));
    }
    if (!wanted) return;
    kept_ops_[index] = true;
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) produce(op, id);
    }
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) {
        mark(needed_, id);
        mark(kept_vars_, id);
      }
    }
  }

  void produce(const Operator& op, VarId id) {
    if (has(fed_, id)) {
      core::raise(
          ErrorCode::kInvalidArgument,
          "[prune] feed '{}' is also computed by '{}', which the fetches need; feed another "
          "variable or fetch others",
          block_.var(id).name, op.name);
    }
    needed_[static_cast<std::size_t>(id)] = false;
    mark(kept_vars_, id);
  }

  void check_fed() const {
    for (std::size_t i = 0; i < block_.vars.size(); ++i) {
      const VarDesc& var = block_.vars[i];
      if (!needed_[i] || fed_[i] || !var.is_data) continue;
      core::raise(ErrorCode::kInvalidArgument,
                  "[prune] the fetches need the data variable '{}', which is not among the feeds; "
                  "add it",
                  var.name);
    }
  }

  [[nodiscard]] std::shared_ptr<ProgramImpl> copy() const {
    // The copy keeps the counters, so that what is added to it gets names of its own.
    auto result = std::make_shared<ProgramImpl>(program_);
    Block& block = result->main();
    block = Block();
    std::vector<VarId> moved(block_.vars.size(), kNoVar);
    for (std::size_t i = 0; i < block_.vars.size(); ++i) {
      if (!kept_vars_[i]) continue;
      VarDesc var = block_.vars[i];
      var.is_data = fed_[i];
      moved[i] = block.add_var(std::move(var));
    }
    for (std::size_t i = 0; i < block_.ops.size(); ++i) {
      if (!kept_ops_[i]) continue;
      Operator op = block_.ops[i];
      for (Slot& slot : op.inputs) slot = translated(slot, moved);
      for (Slot& slot : op.outputs) slot = translated(slot, moved);
      block.ops.push_back(std::move(op));
    }
    block.arguments = translated(feeds_, moved);
    block.results = translated(fetches_, moved);
    return result;
  }

  static std::vector<VarId> translated(const std::vector<VarId>& ids,
                                       const std::vector<VarId>& moved) {
    std::vector<VarId> result;
    result.reserve(ids.size());
    for (const VarId id : ids) result.push_back(moved[static_cast<std::size_t>(id)]);
    return result;
  }

  const ProgramImpl& program_;
  const Block& block_;
  const std::vector<VarId>& feeds_;
  const std::vector<VarId>& fetches_;
  std::vector<bool> fed_;
  std::vector<bool> needed_;  // at the current point of the walk
  std::vector<bool> kept_vars_;
  std::vector<bool> kept_ops_;
};

void check_distinct(const ProgramImpl& program, const std::vector<VarId>& ids) {
  std::vector<VarId> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return;
  core::raise(ErrorCode::kInvalidArgument, "[prune] feed '{}' is given twice",
              program.main().var(*twice).name);
}

}  // namespace

std::shared_ptr<ProgramImpl> prune(const ProgramImpl& program, const std::vector<VarId>& feeds,
                                   const std::vector<VarId>& fetches) {
  check_distinct(program, feeds);
  return Pruner(program, feeds, fetches).run();
}

}  // namespace loci::program
