#include "framework/ops/op_registry.h"

#include <utility>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"

namespace loci::ops {

void OpRegistry::add(OpSchema schema) {
  const std::string name = schema.name();
  if (!schema.infer_fn()) {
    core::raise(ErrorCode::kInvalidArgument, "[{}] the schema has no shape inference; give it one",
                name);
  }
  if (!schemas_.try_emplace(name, std::move(schema)).second) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] an op of this name is registered already; choose another name", name);
  }
}

const OpSchema* OpRegistry::find(std::string_view name) const {
  const auto found = schemas_.find(name);
  return found == schemas_.end() ? nullptr : &found->second;
}

const OpSchema& OpRegistry::get(std::string_view name) const {
  if (const OpSchema* schema = find(name)) return *schema;
  core::raise(ErrorCode::kInvalidArgument, "[{}] there is no such op{}", name,
              core::suggest(name, names()));
}

std::vector<std::string> OpRegistry::names() const {
  std::vector<std::string> result;
  for (const auto& entry : schemas_) result.push_back(entry.first);
  return result;
}

OpRegistry& op_registry() {
  static OpRegistry registry = [] {
    OpRegistry filled;
    register_builtin_ops(filled);
    return filled;
  }();
  return registry;
}

}  // namespace loci::ops
