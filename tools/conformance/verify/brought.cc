#include "tools/conformance/verify/brought.h"

#include <loci/abi/ops.h>

#include <nlohmann/json.hpp>

#include "tools/conformance/verify/process/isolation.h"

namespace loci::verify {
namespace {

using Json = nlohmann::json;

std::vector<OwnOp> own_ops(Instance& instance) {
  const auto* api =
      static_cast<const loci_ops_api*>(instance.interface(LOCI_OPS_INTERFACE, LOCI_OPS_MINOR));
  if (api == nullptr || api->defs == nullptr) return {};
  std::uint64_t count = 0;
  const loci_op_def* defs = call_plugin("defs of " LOCI_OPS_INTERFACE,
                                        [&] { return api->defs(instance.handle(), &count); });
  std::vector<OwnOp> ops;
  const auto* bytes = reinterpret_cast<const char*>(defs);
  for (std::uint64_t i = 0; i < count; ++i) {
    ops.push_back(
        describe_own_op(*reinterpret_cast<const loci_op_def*>(bytes + i * defs->struct_size)));
  }
  return ops;
}

// Returns the ops of the kernels for which `is_so` returns true.
std::set<std::string> kernel_ops(Instance& instance, bool (*is_so)(const loci_kernel_def& def)) {
  if (instance.interface(LOCI_KERNELS_INTERFACE, LOCI_KERNELS_MINOR) == nullptr) return {};
  const loci_kernels_api& api = instance.kernels_api();
  std::uint64_t count = 0;
  const loci_kernel_def* defs =
      call_plugin("defs", [&] { return api.defs(instance.handle(), &count); });
  std::set<std::string> names;
  const auto* bytes = reinterpret_cast<const char*>(defs);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto& def = *reinterpret_cast<const loci_kernel_def*>(bytes + i * defs->struct_size);
    if (is_so(def)) names.emplace(view(def.op));
  }
  return names;
}

bool is_any(const loci_kernel_def&) { return true; }
bool has_aliases(const loci_kernel_def& def) { return def.alias_count > 0; }
bool has_own_layouts(const loci_kernel_def& def) {
  return (def.flags & LOCI_KERNEL_OWN_LAYOUTS) != 0;
}

Verdict ask(const Target& target) {
  Instance instance(target);
  const bool has_table = instance.interface(LOCI_DEVICE_INTERFACE, LOCI_DEVICE_MINOR) != nullptr;
  const std::uint32_t devices = has_table ? instance.device_count() : 0;
  const Json json{{"table", has_table},
                  {"devices", devices},
                  {"ops", own_ops(instance)},
                  {"kernels", kernel_ops(instance, is_any)},
                  {"aliases", kernel_ops(instance, has_aliases)},
                  {"layouts", kernel_ops(instance, has_own_layouts)}};
  return {Outcome::kPassed, json.dump()};
}

}  // namespace

Brought ask_what_it_brings(const Target& target, std::chrono::milliseconds patience) {
  const std::vector<Result> results =
      run_isolated({{"ask", [&] { return ask(target); }}}, patience);
  if (results.front().outcome != Outcome::kPassed) return {};
  const Json json = Json::parse(results.front().message);
  return {true,
          json["table"].get<bool>(),
          json["devices"].get<std::uint32_t>(),
          json["ops"].get<std::vector<OwnOp>>(),
          json["kernels"].get<std::set<std::string>>(),
          json["aliases"].get<std::set<std::string>>(),
          json["layouts"].get<std::set<std::string>>()};
}

}  // namespace loci::verify
