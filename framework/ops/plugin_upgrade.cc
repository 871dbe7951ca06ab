// Upgrades of operators of older versions of ops that plugins define.
#include <string>
#include <utility>

#include "framework/core/abi/attributes.h"
#include "framework/core/quote.h"
#include "framework/core/raise.h"
#include "framework/ops/plugin_call.h"
#include "framework/ops/plugin_op.h"
#include "framework/plugin/stated_text.h"

namespace loci::ops {
namespace {

// The functions set and remove of the C table write to a sink.
class AttributeSink {
 public:
  explicit AttributeSink(Attributes& attributes) : attributes_(attributes) {}

  static loci_error* set(loci_attr_sink* sink, const loci_attr* attr) noexcept {
    return to_error([&] { reinterpret_cast<AttributeSink*>(sink)->set(*attr); });
  }
  static loci_error* remove(loci_attr_sink* sink, loci_str name) noexcept {
    return to_error([&] {
      reinterpret_cast<AttributeSink*>(sink)->attributes_.erase(
          std::string(plugin::stated_text(name, "attribute's name")));
    });
  }
  [[nodiscard]] loci_attr_sink* handle() { return reinterpret_cast<loci_attr_sink*>(this); }

 private:
  void set(const loci_attr& attr) {
    const std::string name(plugin::stated_text(attr.name, "attribute's name"));
    try {
      attributes_.insert_or_assign(name, core::attribute_from_abi(attr));
    } catch (const Error& error) {
      core::raise(error.code(), "the attribute {} {}", core::quote(name), error.what());
    }
  }

  Attributes& attributes_;
};

void run(const PluginOp& op, int from, Attributes* attributes) {
  // Those of the file stay as they are while others are set.
  const core::AbiAttributes given(*attributes);
  AttributeSink sink(*attributes);
  loci_upgrade upgrade{};
  upgrade.struct_size = sizeof upgrade;
  upgrade.from_version = static_cast<std::uint32_t>(from);
  upgrade.attrs = given.data();
  upgrade.attr_count = given.size();
  upgrade.sink = sink.handle();
  upgrade.set = &AttributeSink::set;
  upgrade.remove = &AttributeSink::remove;
  try {
    call_plugin_op("upgrade",
                   [&] { return op.functions.upgrade(op.plugin->handle(), op.def, &upgrade); });
  } catch (const Error& error) {
    throw error_of_op(
        op.name,
        Error(error.code(), fmt::format("its upgrade from version {}: {}", from, error.what()),
              error.details()));
  }
}

}  // namespace

UpgradeFn plugin_upgrade(PluginOp op) {
  return [op = std::move(op)](int from, Attributes& attributes) { run(op, from, &attributes); };
}

}  // namespace loci::ops
