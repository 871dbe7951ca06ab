#include "framework/transfer/packing.h"

#include <fmt/format.h>
#include <loci/abi/kernels.h>

#include <utility>

#include "framework/memory/allocator.h"
#include "framework/plugin/foreign_call.h"
#include "framework/plugin/layout_table.h"
#include "framework/profiler/clock.h"
#include "framework/tensor/tensor_impl.h"
#include "framework/transfer/awaited_copy.h"
#include "framework/transfer/copy_scope.h"
#include "framework/transfer/ledger.h"
#include "framework/transfer/transfer.h"

namespace loci::transfer {
namespace {

loci_view view_of(const Tensor& tensor, const device::Device& device) {
  loci_view view{};
  view.dims = tensor.shape().data();
  view.rank = tensor.shape().rank();
  view.dtype = static_cast<loci_dtype>(tensor.dtype());
  view.residence = device.uses_host_memory() ? LOCI_RESIDENCE_HOST : LOCI_RESIDENCE_DEVICE;
  return view;
}

void relayout(const Tensor& constant, const Packing& packing, const tensor::PackedForm& form,
              std::uint64_t correlation) {
  const device::KernelLibrary& library = *packing.library;
  loci_view source = view_of(constant, *packing.device);
  source.data = constant.impl()->data();
  source.bytes = constant.impl()->bytes();
  loci_view target = view_of(constant, *packing.device);
  target.data = form.buffer.data();
  target.bytes = form.buffer.bytes();
  target.layout = packing.layout;
  core::check(plugin::blaming(*library.plugin,
                              [&] {
                                return plugin::call_plugin("relayout", [&] {
                                  return library.api.relayout(
                                      library.plugin->handle(), packing.device->handle(), &source,
                                      &target, packing.device->default_stream(), correlation);
                                });
                              }),
              fmt::format("[{}] packing '{}'", packing.consumer, packing.variable));
}

// Waits for it where the device is queued, so that it may be used on any stream.
void pack(const Tensor& constant, const Packing& packing, const tensor::PackedForm& form) {
  device::Device& device = *packing.device;
  const Labels labels{packing.variable, "", packing.consumer, Reason::kPack, constant.dtype()};
  Row row;
  row.labels = labels;
  row.from = row.to = device.place();
  row.bytes = form.buffer.bytes();
  row.layout = plugin::find_layout(packing.layout)->text.c_str();
  row.host_waited = true;
  row.start_ns = profiler::monotonic_ns();
  CopyScope scope(&device, &device, row.bytes, labels);
  if (device.is_inline()) {
    relayout(constant, packing, form, scope.correlation());
  } else {
    AwaitedCopy awaited(device, scope.correlation());
    relayout(constant, packing, form, scope.correlation());
    awaited.wait(device.default_stream());
  }
  scope.finish(/*host_waited=*/true);
  row.duration_ns = profiler::monotonic_ns() - row.start_ns;
  record_pack(row);
}

}  // namespace

std::shared_ptr<const tensor::PackedForm> packed(const Tensor& constant, const Packing& packing) {
  tensor::Storage& storage = *constant.impl()->storage();
  const std::uint64_t version = storage.version.load(std::memory_order_acquire);
  const tensor::PackedKey key{packing.layout, constant.dtype(), constant.shape(),
                              constant.impl()->offset()};
  auto known = storage.extras.get().packed.find(key);
  if (known != nullptr && tensor::is_current(*known, storage)) return known;
  auto form = std::make_shared<tensor::PackedForm>();
  form->key = key;
  form->version = version;
  form->buffer =
      memory::device_allocator(*packing.device)
          .allocate(plugin::find_layout(packing.layout)->bytes, packing.device->default_stream(),
                    intern(fmt::format("{} (packed)", packing.variable)));
  pack(constant, packing, *form);
  storage.extras.get().packed.put(form);
  return form;
}

}  // namespace loci::transfer
