#include "framework/ops/op_library.h"

#include <fmt/format.h>
#include <loci/abi/ops.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "framework/ops/op_definition.h"
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

std::unique_ptr<OpLibrary> take_op_library(Instance& instance) {
  static constexpr std::string_view kName = LOCI_OPS_INTERFACE;
  const void* table = instance.interface(kName, LOCI_OPS_MINOR);
  if (table == nullptr)
    refuse_to_author("it says that it brings ops, and it has no " LOCI_OPS_INTERFACE);
  const auto api = copy_table<loci_ops_api>(table, kName);
  if (api.defs == nullptr) refuse_to_author(fmt::format("its {} lacks defs", kName));
  auto library = std::make_unique<OpLibrary>();
  library->plugin = &instance;
  auto ops = std::make_shared<ops::PluginOps>();
  for (const loci_op_def* def : list_definitions(instance, api)) {
    ops::OpSchema schema = ops::take_op_definition(instance, *def);
    std::vector<std::string>& names = library->names;
    if (std::find(names.begin(), names.end(), schema.name()) != names.end()) {
      refuse_to_author(fmt::format("it has two ops named '{}'", schema.name()));
    }
    names.push_back(schema.name());
    ops->schemas.push_back(std::move(schema));
  }
  library->ops = std::move(ops);
  return library;
}

}  // namespace loci::plugin
