#include "framework/plugin/op_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "framework/plugin/foreign_call.h"
#include "framework/plugin/negotiation.h"
#include "framework/plugin/struct_array.h"

namespace loci::plugin {
namespace {

std::vector<const loci_op_def*> list_definitions(Instance& instance, const loci_ops_api& api) {
  std::uint64_t count = 0;
  const loci_op_def* first =
      call_plugin("defs", [&] { return api.defs(instance.handle(), &count); });
  if (count == 0) refuse_to_author("its " LOCI_OPS_INTERFACE " has no ops");
  return list_structs(first, count, "list of ops");
}

}  // namespace

void OpOwners::claim(const OpLibrary& library) {
  for (const OpDefinition& op : library.ops) {
    const auto owner = plugins_.find(op.name);
    if (owner == plugins_.end() || owner->second == library.plugin->id()) continue;
    throw LoadError(ErrorCode::kIncompatible,
                    fmt::format("its op '{}' is taken: the plugin {} brought one of that name",
                                op.name, owner->second),
                    "leave one of the two plugins out by its id");
  }
  for (const OpDefinition& op : library.ops) plugins_.emplace(op.name, library.plugin->id());
}

std::unique_ptr<OpLibrary> take_op_library(Instance& instance) {
  static constexpr std::string_view kName = LOCI_OPS_INTERFACE;
  const void* table = instance.interface(kName, LOCI_OPS_MINOR);
  if (table == nullptr)
    refuse_to_author("it says that it brings ops, and it has no " LOCI_OPS_INTERFACE);
  const auto api = copy_table<loci_ops_api>(table, kName);
  if (api.defs == nullptr) refuse_to_author(fmt::format("its {} lacks defs", kName));
  auto library = std::make_unique<OpLibrary>();
  library->plugin = &instance;
  for (const loci_op_def* def : list_definitions(instance, api)) {
    OpDefinition op = take_op_definition(*def);
    const bool twice =
        std::any_of(library->ops.begin(), library->ops.end(),
                    [&](const OpDefinition& other) { return other.name == op.name; });
    if (twice) refuse_to_author(fmt::format("it has two ops named '{}'", op.name));
    library->ops.push_back(std::move(op));
  }
  return library;
}

}  // namespace loci::plugin
