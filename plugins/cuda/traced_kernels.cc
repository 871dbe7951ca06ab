#include "traced_kernels.h"

#include <loci/plugin/error.hpp>
#include <loci/plugin/kernel.hpp>
#include <memory>
#include <string_view>

#include "device.h"
#include "plugin.h"
#include "work_scope.h"

namespace loci::cuda {
namespace {

// A loci_kernel* points to this.
struct Created {
  const sdk::Host* host;
  Device* device;
  std::string_view op;  // STATIC
  loci_kernel* kernel;
};
// A loci_prepared* points to this.
struct Prepared {
  const sdk::Host* host;
  Device* device;
  std::string_view op;
  decltype(loci_prepared_info::launch) launch;
  loci_prepared* prepared;
  std::uint32_t inputs;
  std::uint32_t outputs;
};

const loci_kernels_api& plain() { return *sdk::kernels_table<Plugin>(); }

loci_error* create(loci_plugin* plugin, const loci_kernel_def* def, loci_device* device,
                   const loci_op_desc* op, loci_kernel** out_kernel) noexcept {
  const sdk::Host& host = sdk::host_of<Plugin>(plugin);
  loci_kernel* kernel = nullptr;
  if (loci_error* error = plain().create(plugin, def, device, op, &kernel)) return error;
  return sdk::guard(host.api(), [&] {
    std::unique_ptr<loci_kernel, void (*)(loci_kernel*)> owned(kernel, plain().destroy);
    *out_kernel = reinterpret_cast<loci_kernel*>(
        new Created{&host, &sdk::device_of<Device>(device), sdk::to_view(def->op), kernel});
    owned.release();
  });
}

void destroy(loci_kernel* kernel) noexcept {
  const std::unique_ptr<Created> created(reinterpret_cast<Created*>(kernel));
  plain().destroy(created->kernel);
}

RecordedArgument recorded(const loci_view& view) {
  if (view.residence != LOCI_RESIDENCE_DEVICE || view.data == nullptr) return {};
  return {reinterpret_cast<std::uintptr_t>(view.data), view.bytes};
}

// For patches of the graph that records it.
void tell_arguments(const Prepared& traced, const loci_launch& launch) {
  Device::Stream* stream = sdk::stream_of<Device>(launch.stream);
  Device::require(stream);
  RecordedLaunches& launches = stream->recording().launches;
  ++launches.count;
  launches.arguments.clear();
  for (std::uint32_t i = 0; i < traced.inputs; ++i) {
    launches.arguments.push_back(recorded(*launch.inputs[i]));
  }
  for (std::uint32_t i = 0; i < traced.outputs; ++i) {
    launches.arguments.push_back(recorded(*launch.outputs[i]));
  }
}

// Whatever the kernel gives the driver, by itself or through a library.
loci_error* launch(const loci_prepared* prepared, const loci_launch* launch) noexcept {
  const auto& traced = *reinterpret_cast<const Prepared*>(prepared);
  if ((launch->flags & LOCI_LAUNCH_CAPTURING) != 0) {
    const auto tell = [&] { tell_arguments(traced, *launch); };
    if (loci_error* error = sdk::guard(traced.host->api(), tell)) return error;
  }
  Device::Stream* stream = sdk::stream_of<Device>(launch->stream);
  TimedWork work;
  work.correlation = launch->correlation;
  work.op = traced.op;
  const WorkScope scope(*traced.device, stream == nullptr ? nullptr : stream->handle(), work);
  if (loci_error* error = traced.launch(traced.prepared, launch)) return error;
  if (stream == nullptr) return nullptr;
  return sdk::guard(traced.host->api(), [&] { stream->note(traced.op, launch->correlation); });
}

loci_error* prepare(loci_kernel* kernel, const loci_op_desc* op,
                    loci_prepared_info* out_info) noexcept {
  const Created& created = *reinterpret_cast<const Created*>(kernel);
  if (loci_error* error = plain().prepare(created.kernel, op, out_info)) return error;
  return sdk::guard(created.host->api(), [&] {
    std::unique_ptr<loci_prepared, void (*)(loci_prepared*)> owned(out_info->prepared,
                                                                   plain().destroy_prepared);
    out_info->prepared = reinterpret_cast<loci_prepared*>(new Prepared{
        created.host, created.device, created.op, out_info->launch, out_info->prepared,
        op->input_slots[op->input_slot_count], op->output_slots[op->output_slot_count]});
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
