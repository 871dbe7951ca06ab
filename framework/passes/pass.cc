#include "framework/passes/pass.h"

#include <algorithm>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/passes/passes.h"

namespace loci::passes {

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> kPasses = {
      {"constant_folding", "computes once what depends on constants and known shapes only",
       fold_constants},
      {"common_subexpression_elimination", "computes equal expressions once",
       merge_common_subexpressions},
      {"dead_code_elimination", "leaves out what neither a fetch nor state needs",
       remove_dead_code},
  };
  return kPasses;
}

void check_pass(const std::string& name) {
  std::vector<std::string> names;
  for (const Pass& pass : all_passes()) names.emplace_back(pass.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  core::raise(ErrorCode::kInvalidArgument, "[passes] there is no pass '{}'{}", name,
              core::suggest(name, names));
}

void run_passes(program::Block& block, const PassContext& context,
                const std::vector<std::string>& disabled, const std::string& last) {
  for (const std::string& name : disabled) check_pass(name);
  if (!last.empty()) check_pass(last);
  for (const Pass& pass : all_passes()) {
    const bool skipped = std::find(disabled.begin(), disabled.end(), pass.name) != disabled.end();
    if (!skipped) pass.run(block, context);
    if (pass.name == last) return;
  }
}

bool is_pure(const program::Operator& op, const program::Block& block) {
  if (op.schema->is_random()) return false;
  for (const program::Slot& slot : op.outputs) {
    for (const program::VarId id : slot) {
      if (block.var(id).persistable) return false;
    }
  }
  return true;
}

}  // namespace loci::passes
