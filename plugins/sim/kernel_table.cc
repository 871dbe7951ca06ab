#include "plugins/sim/kernel_table.h"

#include <loci/plugin/device.hpp>
#include <loci/plugin/kernel.hpp>
#include <memory>
#include <optional>

#include "plugins/sim/device.h"
#include "plugins/sim/plugin.h"
#include "plugins/sim/profile_source.h"
#include "plugins/sim/queued_kernel.h"

namespace loci::sim {
namespace {

// A loci_kernel* points to this.
struct Created {
  const sdk::Host* host;
  loci_kernel* kernel;
};
// A loci_prepared* points to this.
struct Prepared {
  std::shared_ptr<const QueuedKernel> kernel;
};

const loci_kernels_api& portable() { return *sdk::kernels_table<SimPlugin>(); }

loci_error* create(loci_plugin* plugin, const loci_kernel_def* def, loci_device* device,
                   const loci_op_desc* op, loci_kernel** out_kernel) noexcept {
  const sdk::Host& host = sdk::host_of<SimPlugin>(plugin);
  loci_kernel* kernel = nullptr;
  if (loci_error* error = portable().create(plugin, def, device, op, &kernel)) return error;
  return sdk::guard(host.api(), [&] {
    std::unique_ptr<loci_kernel, void (*)(loci_kernel*)> owned(kernel, portable().destroy);
    *out_kernel = reinterpret_cast<loci_kernel*>(new Created{&host, kernel});
    owned.release();
  });
}

void destroy(loci_kernel* kernel) noexcept {
  const std::unique_ptr<Created> created(reinterpret_cast<Created*>(kernel));
  portable().destroy(created->kernel);
}

loci_error* launch(const loci_prepared* prepared, const loci_launch* launch) noexcept {
  const QueuedKernel& kernel = *reinterpret_cast<const Prepared*>(prepared)->kernel;
  Stream* stream = sdk::stream_of<SimDevice>(launch->stream);
  std::optional<CallTimer> timer;
  if (stream != nullptr) {
    timer.emplace(stream->device().machine().profile, "launch", launch->correlation);
  }
  return sdk::guard(kernel.host().api(), [&] { kernel.launch(*launch, stream); });
}

loci_error* prepare(loci_kernel* kernel, const loci_op_desc* op,
                    loci_prepared_info* out_info) noexcept {
  const Created& created = *reinterpret_cast<const Created*>(kernel);
  if (loci_error* error = portable().prepare(created.kernel, op, out_info)) return error;
  return sdk::guard(created.host->api(), [&] {
    std::unique_ptr<loci_prepared, void (*)(loci_prepared*)> owned(out_info->prepared,
                                                                   portable().destroy_prepared);
    auto queued = std::make_unique<Prepared>();
    queued->kernel = std::make_shared<const QueuedKernel>(*created.host, *op, *out_info,
                                                          portable().destroy_prepared);
    owned.release();
    out_info->prepared = reinterpret_cast<loci_prepared*>(queued.release());
    out_info->launch = &launch;
  });
}

void destroy_prepared(loci_prepared* prepared) noexcept {
  delete reinterpret_cast<Prepared*>(prepared);
}

loci_kernels_api make_kernel_table() {
  loci_kernels_api table = portable();
  table.create = &create;
  table.destroy = &destroy;
  table.prepare = &prepare;
  table.destroy_prepared = &destroy_prepared;
  return table;
}

}  // namespace

const loci_kernels_api* queued_kernels_table() {
  static const loci_kernels_api kTable = make_kernel_table();
  return &kTable;
}

}  // namespace loci::sim
