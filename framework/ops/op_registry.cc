#include "framework/ops/op_registry.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/ops/op_library.h"
#include "framework/ops/plugin_op.h"
#include "framework/plugin/plugin_manager.h"

namespace loci::ops {
namespace {

[[noreturn]] void refuse_plugin_op(std::string_view name, const std::vector<std::string>& known) {
  std::string similar = core::suggest(name, known);
  if (similar.empty()) {
    similar = "; give the directory of the plugin that brings it with --plugin-path";
  }
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("[{}] there is no such op, and no plugin brings it{}", name, similar),
              plugin::PluginManager::instance().explain_missing(kOpsKind));
}

}  // namespace

bool is_plugin_op(std::string_view name) { return name.find('.') != std::string_view::npos; }

void OpRegistry::add(OpSchema schema) {
  const std::string name = schema.name();
  if (!schema.infer_fn()) {
    core::raise(ErrorCode::kInvalidArgument, "[{}] the schema has no shape inference; give it one",
                name);
  }
  const std::lock_guard lock(mutex_);
  Schemas& schemas = is_plugin_op(name) ? plugin_ops_ : own_;
  if ((base_ != nullptr && base_->contains(name)) ||
      !schemas.try_emplace(name, std::move(schema)).second) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] an op of this name is registered already; choose another name", name);
  }
}

bool OpRegistry::contains(std::string_view name) const { return find_present(name) != nullptr; }

const OpSchema* OpRegistry::find_present(std::string_view name) const {
  if (!is_plugin_op(name)) {
    const auto found = own_.find(name);
    if (found != own_.end()) return &found->second;
    return base_ == nullptr ? nullptr : base_->find_present(name);
  }
  const std::lock_guard lock(mutex_);
  const auto found = plugin_ops_.find(name);
  return found == plugin_ops_.end() ? nullptr : &found->second;
}

const OpSchema* OpRegistry::find(std::string_view name) {
  const OpSchema* found = find_present(name);
  if (found != nullptr || !is_plugin_op(name) || !supply_) return found;
  supply_(*this);
  return find_present(name);
}

const OpSchema& OpRegistry::get(std::string_view name) {
  if (const OpSchema* schema = find(name)) return *schema;
  if (is_plugin_op(name)) refuse_plugin_op(name, names());
  core::raise(ErrorCode::kInvalidArgument, "[{}] there is no such op{}", name,
              core::suggest(name, names()));
}

std::vector<std::string> OpRegistry::names() const {
  std::vector<std::string> result;
  if (base_ != nullptr) result = base_->names();
  const std::lock_guard lock(mutex_);
  for (const auto& entry : own_) result.push_back(entry.first);
  for (const auto& entry : plugin_ops_) result.push_back(entry.first);
  std::sort(result.begin(), result.end());
  return result;
}

namespace {

const OpRegistry& builtin_ops() {
  // Never destroyed: destructors of statics may call ops.
  static const OpRegistry& registry = *[] {
    auto filled = std::make_unique<OpRegistry>();
    register_builtin_ops(*filled);
    return filled.release();
  }();
  return registry;
}

// Its ops call into the context's plugins, which are made before it and end after it.
struct ContextOps {
  static constexpr auto kContextSlot = core::ContextSlot::kOps;
  ContextOps() : registry(&builtin_ops()) {
    core::in_context<plugin::PluginManager>();
    registry.set_supply(
        [](OpRegistry& lacking) { add_plugin_ops(lacking, plugin::PluginManager::instance()); });
  }

  OpRegistry registry;
};

}  // namespace

OpRegistry& op_registry() { return core::in_context<ContextOps>().registry; }

}  // namespace loci::ops
