#include "framework/ops/op_library.h"

#include <fmt/format.h>
#include <loci/abi/ops.h>

#include <algorithm>
#include <utility>

#include "framework/ops/op_definition.h"
#include "framework/plugin/foreign_call.h"
#include "framework/plugin/interface_table.h"
#include "framework/plugin/struct_array.h"

namespace loci::ops {
namespace {

constexpr plugin::Interface kOps{LOCI_OPS_INTERFACE, LOCI_OPS_MINOR};

std::vector<const loci_op_def*> list_definitions(plugin::Instance& instance,
                                                 const loci_ops_api& api) {
  std::uint64_t count = 0;
  const loci_op_def* first =
      plugin::call_plugin("defs", [&] { return api.defs(instance.handle(), &count); });
  if (count == 0) plugin::refuse_to_author("its " LOCI_OPS_INTERFACE " has no ops");
  return plugin::list_structs(first, count, "list of ops");
}

}  // namespace

constinit const plugin::Kind<OpLibrary> kOpsKind{
    {.name = "ops",
     .take = &plugin::take_as<&take_op_library>,
     .unique = "op",
     .pinned = "brings ops, to which programs may refer until the process ends"}};

std::vector<std::string> OpLibrary::names() const {
  std::vector<std::string> names;
  for (const OpSchema& schema : schemas) names.push_back(schema.name());
  return names;
}

OpLibrary take_op_library(plugin::Instance& instance, const plugin::Manifest& /*manifest*/) {
  const auto api = plugin::require_table<loci_ops_api>(instance, kOps,
                                                       "it says that it brings ops, and it has no");
  plugin::require_member(api.defs != nullptr, kOps, "defs");
  OpLibrary library;
  library.plugin = &instance;
  for (const loci_op_def* def : list_definitions(instance, api)) {
    OpSchema schema = take_op_definition(instance, *def);
    const auto is_named_so = [&](const OpSchema& other) { return other.name() == schema.name(); };
    if (std::any_of(library.schemas.begin(), library.schemas.end(), is_named_so)) {
      plugin::refuse_to_author(fmt::format("it has two ops named '{}'", schema.name()));
    }
    library.schemas.push_back(std::move(schema));
  }
  return library;
}

}  // namespace loci::ops
