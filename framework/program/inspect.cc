#include <loci/inspect.hpp>

#include "framework/program/dot.h"
#include "framework/program/json_form.h"
#include "framework/program/program_impl.h"

namespace loci {
inline namespace v0 {
namespace inspect {
namespace {

std::vector<Variable> handles(const Program& program, const std::vector<program::VarId>& ids) {
  std::vector<Variable> variables;
  variables.reserve(ids.size());
  for (const program::VarId id : ids) variables.emplace_back(program.impl(), id);
  return variables;
}

}  // namespace

std::string to_dot(const Program& program) { return program::to_dot(*program.impl()); }

std::string to_json(const Program& program) { return program::to_json(*program.impl(), nullptr); }

std::vector<Variable> data_variables(const Program& program) {
  const program::Block& block = program.impl()->main();
  if (!block.arguments.empty()) return handles(program, block.arguments);
  std::vector<program::VarId> ids;
  for (std::size_t i = 0; i < block.vars.size(); ++i) {
    if (block.vars[i].is_data) ids.push_back(static_cast<program::VarId>(i));
  }
  return handles(program, ids);
}

std::vector<Variable> results(const Program& program) {
  return handles(program, program.impl()->main().results);
}

}  // namespace inspect
}  // namespace v0
}  // namespace loci
