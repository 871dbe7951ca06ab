#include "traced_kernels.h"

#include <loci/plugin/error.hpp>
#include <loci/plugin/kernel.hpp>
#include <memory>

#include "correlation_scope.h"
#include "plugin.h"

namespace loci::cuda {
namespace {

// What a loci_kernel* points to.
struct Created {
  const sdk::Host* host;
  loci_kernel* kernel;
};
// What a loci_prepared* points to.
struct Prepared {
  decltype(loci_prepared_info::launch) launch;
  loci_prepared* prepared;
};

const loci_kernels_api& plain() { return *sdk::kernels_table<Plugin>(); }

loci_error* create(loci_plugin* plugin, const loci_kernel_def* def, loci_device* device,
                   const loci_op_desc* op, loci_kernel** out_kernel) noexcept {
  const sdk::Host& host = sdk::host_of<Plugin>(plugin);
  loci_kernel* kernel = nullptr;
  if (loci_error* error = plain().create(plugin, def, device, op, &kernel)) return error;
  return sdk::guard(host.api(), [&] {
    std::unique_ptr<loci_kernel, void (*)(loci_kernel*)> owned(kernel, plain().destroy);
    *out_kernel = reinterpret_cast<loci_kernel*>(new Created{&host, kernel});
    owned.release();
  });
}

void destroy(loci_kernel* kernel) noexcept {
  const std::unique_ptr<Created> created(reinterpret_cast<Created*>(kernel));
  plain().destroy(created->kernel);
}

// Whatever the kernel gives the driver, by itself or through a library.
loci_error* launch(const loci_prepared* prepared, const loci_launch* launch) noexcept {
  const auto& traced = *reinterpret_cast<const Prepared*>(prepared);
  const CorrelationScope belongs_to(launch->correlation);
  return traced.launch(traced.prepared, launch);
}

loci_error* prepare(loci_kernel* kernel, const loci_op_desc* op,
                    loci_prepared_info* out_info) noexcept {
  const Created& created = *reinterpret_cast<const Created*>(kernel);
  if (loci_error* error = plain().prepare(created.kernel, op, out_info)) return error;
  return sdk::guard(created.host->api(), [&] {
    std::unique_ptr<loci_prepared, void (*)(loci_prepared*)> owned(out_info->prepared,
                                                                   plain().destroy_prepared);
    out_info->prepared =
        reinterpret_cast<loci_prepared*>(new Prepared{out_info->launch, out_info->prepared});
    out_info->launch = &launch;
    owned.release();
  });
}

void destroy_prepared(loci_prepared* prepared) noexcept {
  const std::unique_ptr<Prepared> traced(reinterpret_cast<Prepared*>(prepared));
  plain().destroy_prepared(traced->prepared);
}

loci_kernels_api make_table() {
  loci_kernels_api table = plain();
  table.create = &create;
  table.destroy = &destroy;
  table.prepare = &prepare;
  table.destroy_prepared = &destroy_prepared;
  return table;
}

}  // namespace

const loci_kernels_api* traced_kernels_table() {
  static const loci_kernels_api kTable = make_table();
  return &kTable;
}

}  // namespace loci::cuda
