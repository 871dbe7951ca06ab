#include "plugins/cpu/canary_table.h"

#include <cstring>
#include <loci/plugin/kernel.hpp>
#include <memory>
#include <string>

#include "plugins/cpu/canaried_kernel.h"
#include "plugins/cpu/canary_block.h"
#include "plugins/cpu/plugin.h"

namespace loci::cpu {
namespace {

// The object that a loci_kernel* points to.
struct CanariedCreation {
  const sdk::Host* host;
  loci_kernel* kernel;
  std::string name;
};
// The object that a loci_prepared* points to.
struct CanariedPreparation {
  const sdk::Host* host;
  CanariedKernel kernel;
};

const loci_kernels_api& plain_table() { return *sdk::kernels_table<CpuPlugin>(); }

std::string name_of(const loci_kernel_def& def) {
  return "the kernel '" + std::string(sdk::to_view(def.name)) + "' of " +
         std::string(sdk::to_view(def.op));
}

// The functions of the table.
struct Canaried {
  static loci_error* create(loci_plugin* plugin, const loci_kernel_def* def, loci_device* device,
                            const loci_op_desc* op, loci_kernel** out_kernel) noexcept {
    const sdk::Host& host = sdk::host_of<CpuPlugin>(plugin);
    loci_kernel* kernel = nullptr;
    if (loci_error* error = plain_table().create(plugin, def, device, op, &kernel)) return error;
    return sdk::guard(host.api(), [&] {
      std::unique_ptr<loci_kernel, void (*)(loci_kernel*)> owned(kernel, plain_table().destroy);
      *out_kernel =
          reinterpret_cast<loci_kernel*>(new CanariedCreation{&host, kernel, name_of(*def)});
      owned.release();
    });
  }

  static void destroy(loci_kernel* kernel) noexcept {
    const std::unique_ptr<CanariedCreation> created(reinterpret_cast<CanariedCreation*>(kernel));
    plain_table().destroy(created->kernel);
  }

  static loci_error* launch(const loci_prepared* prepared, const loci_launch* launch) noexcept {
    const CanariedPreparation& canaried = *reinterpret_cast<const CanariedPreparation*>(prepared);
    loci_error* failed = nullptr;
    loci_error* const damage =
        sdk::guard(canaried.host->api(), [&] { failed = canaried.kernel.launch(*launch); });
    return damage != nullptr ? damage : failed;
  }

  static loci_error* prepare(loci_kernel* kernel, const loci_op_desc* op,
                             loci_prepared_info* out_info) noexcept {
    const CanariedCreation& created = *reinterpret_cast<const CanariedCreation*>(kernel);
    if (loci_error* error = plain_table().prepare(created.kernel, op, out_info)) return error;
    return sdk::guard(created.host->api(), [&] {
      std::unique_ptr<loci_prepared, void (*)(loci_prepared*)> owned(
          out_info->prepared, plain_table().destroy_prepared);
      out_info->prepared = reinterpret_cast<loci_prepared*>(
          new CanariedPreparation{created.host, CanariedKernel(created.name, *op, *out_info)});
      out_info->launch = &launch;
      owned.release();
    });
  }

  static void destroy_prepared(loci_prepared* prepared) noexcept {
    const std::unique_ptr<CanariedPreparation> canaried(
        reinterpret_cast<CanariedPreparation*>(prepared));
    plain_table().destroy_prepared(canaried->kernel.prepared());
  }

  static loci_error* relayout(loci_plugin* plugin, loci_device* device, const loci_view* source,
                              const loci_view* target, loci_stream* stream,
                              std::uint64_t correlation) noexcept {
    return sdk::guard(sdk::host_of<CpuPlugin>(plugin).api(), [&] {
      const CanaryBlock block(target->bytes, target->data);
      loci_view moved = *target;
      moved.data = block.data();
      sdk::plugin_of<CpuPlugin>(plugin).relayout({device, *source, moved, stream, correlation});
      if (block.damage()) {
        throw sdk::Error(LOCI_CODE_INTERNAL, "[cpu] packing a constant wrote outside its " +
                                                 std::to_string(target->bytes) +
                                                 " bytes; report it");
      }
      std::memcpy(target->data, block.data(), target->bytes);
    });
  }
};

loci_kernels_api make_canaried_table() {
  loci_kernels_api table = plain_table();
  table.create = &Canaried::create;
  table.destroy = &Canaried::destroy;
  table.prepare = &Canaried::prepare;
  table.destroy_prepared = &Canaried::destroy_prepared;
  table.relayout = &Canaried::relayout;
  return table;
}

}  // namespace

const loci_kernels_api* canaried_kernels_table() {
  static const loci_kernels_api kTable = make_canaried_table();
  return &kTable;
}

}  // namespace loci::cpu
