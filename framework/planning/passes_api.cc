#include <loci/inspect.hpp>
#include <set>

#include "framework/passes/pass.h"
#include "framework/planning/specialization.h"
#include "framework/program/compact.h"

namespace loci {
inline namespace v0 {
namespace inspect {
namespace {

std::vector<std::string> unread(const program::Block& block) {
  std::set<program::VarId> read;
  for (const program::Operator& op : block.ops) {
    for (const program::Slot& slot : op.inputs) read.insert(slot.begin(), slot.end());
  }
  std::vector<std::string> names;
  for (const program::Operator& op : block.ops) {
    for (const program::Slot& slot : op.outputs) {
      for (const program::VarId id : slot) {
        if (read.count(id) == 0) names.push_back(block.var(id).name);
      }
    }
  }
  return names;
}

std::vector<std::string> results(const program::Block& block) {
  std::vector<std::string> names;
  for (const program::VarId id : block.results) names.push_back(block.var(id).name);
  return names;
}

}  // namespace

std::vector<Pass> passes() {
  std::vector<Pass> infos;
  for (const loci::passes::Pass& pass : loci::passes::all_passes()) {
    infos.push_back({pass.name, pass.summary});
  }
  return infos;
}

Program after_passes(const Program& program, const std::vector<Fetch>& fetches,
                     const std::string& last, const Place& place) {
  Program copy = program.clone();
  const program::Block& block = copy.impl()->main();
  std::vector<std::string> names;
  for (const Fetch& fetch : fetches) names.push_back(fetch.name());
  planning::check_fetches(block, names);
  if (names.empty()) names = block.results.empty() ? unread(block) : results(block);
  planning::rewrite(copy.impl().get(), names, /*disabled=*/{},
                    std::make_shared<planning::KnownKernels>(place), last);
  program::drop_unused_variables(copy.impl().get());
  return copy;
}

}  // namespace inspect
}  // namespace v0
}  // namespace loci
