#include "tools/conformance/verify/plain_kernel.h"

#include "tools/conformance/verify/launch/lent_op.h"

namespace loci::verify {
namespace {

constexpr const char* kOps[] = {"assign", "relu", "square", "abs", "exp", "tanh"};

constexpr std::int64_t kDims[] = {PlainKernel::kCount};

loci_arg argument() {
  loci_arg arg{};
  arg.dims = kDims;
  arg.dtype = LOCI_DTYPE_F32;
  arg.rank = 1;
  arg.layout = LOCI_LAYOUT_PLAIN;
  arg.residence = LOCI_RESIDENCE_DEVICE;
  return arg;
}

loci_view view_of(void* data) {
  loci_view view{};
  view.data = data;
  view.dims = kDims;
  view.bytes = PlainKernel::kTensorBytes;
  view.layout = LOCI_LAYOUT_PLAIN;
  view.rank = 1;
  view.dtype = LOCI_DTYPE_F32;
  view.residence = LOCI_RESIDENCE_DEVICE;
  return view;
}

}  // namespace

PlainKernel::PlainKernel(Instance& instance, OpenDevice& device, const Stream& stream,
                         std::uint32_t flags)
    : api_(instance.kernels_api()),
      flags_(flags),
      stream_(stream),
      input_(device, kTensorBytes),
      output_(device, kTensorBytes) {
  device.put(input_.at(), Bytes(kTensorBytes, 0), stream.get());
  for (const char* op : kOps) {
    op_ = op;
    if (prepare(instance, device, op)) return;
  }
  skip("it has no {}kernel for a plain operator such as {}",
       (flags & LOCI_KERNEL_CAPTURABLE) != 0 ? "LOCI_KERNEL_CAPTURABLE " : "", kOps[0]);
}

PlainKernel::~PlainKernel() {
  if (info_.prepared != nullptr) api_.destroy_prepared(info_.prepared);
}

bool PlainKernel::prepare(Instance& instance, OpenDevice& device, const char* op) {
  const loci_arg input = argument();
  const loci_arg output = argument();
  const std::uint32_t slots[] = {0, 1};
  loci_op_desc desc{};
  desc.struct_size = sizeof desc;
  desc.version = 1;
  desc.op = to_abi(op);
  desc.inputs = &input;
  desc.outputs = &output;
  desc.input_slots = desc.output_slots = slots;
  desc.input_slot_count = desc.output_slot_count = 1;
  std::uint64_t count = 0;
  const loci_kernel_def* defs =
      call_plugin("defs", [&] { return api_.defs(instance.handle(), &count); });
  const auto* bytes = reinterpret_cast<const char*>(defs);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto& def = *reinterpret_cast<const loci_kernel_def*>(bytes + i * defs->struct_size);
    if (view(def.op) != op || (def.dtype_mask & LOCI_DTYPE_BIT(LOCI_DTYPE_F32)) == 0) continue;
    if ((def.flags & flags_) != flags_) continue;
    if (make(instance, device, def, desc)) return true;
  }
  return false;
}

bool PlainKernel::make(Instance& instance, OpenDevice& device, const loci_kernel_def& def,
                       const loci_op_desc& op) {
  const LentOp lent(op);
  loci_reason reason{};
  const std::int32_t takes = call_plugin(
      "supports", [&] { return api_.supports(instance.handle(), &def, lent.get(), &reason); });
  if (takes == 0) return false;
  loci_kernel* kernel = nullptr;
  call_checked("create of a kernel", [&] {
    return api_.create(instance.handle(), &def, device.handle(), lent.get(), &kernel);
  });
  info_.struct_size = sizeof info_;
  info_.input_layouts = &input_layout_;
  info_.output_layouts = &output_layout_;
  loci_error* error =
      call_plugin("prepare", [&] { return api_.prepare(kernel, lent.get(), &info_); });
  call_plugin("destroy of a kernel", [&] {
    api_.destroy(kernel);
    return 0;
  });
  try {
    call_checked("prepare", [&] { return error; });
  } catch (const PluginError& declined) {
    if (declined.code() == LOCI_CODE_UNSUPPORTED) return false;
    throw;
  }
  state_.resize(info_.state_bytes);
  if (info_.workspace_bytes > 0) workspace_.emplace_back(device, info_.workspace_bytes);
  return true;
}

void PlainKernel::launch(std::uint64_t correlation) {
  launch(stream_, input_.at(), output_.at(), 0, correlation);
}

void PlainKernel::launch(const Stream& stream, void* from, void* to, std::uint64_t flags,
                         std::uint64_t correlation) {
  const loci_view input = view_of(from);
  const loci_view output = view_of(to);
  const loci_view* const inputs[] = {&input};
  const loci_view* const outputs[] = {&output};
  loci_launch launch{};
  launch.inputs = inputs;
  launch.outputs = outputs;
  launch.workspace = workspace_.empty() ? nullptr : workspace_.front().at();
  launch.state = state_.data();
  launch.stream = stream.get();
  launch.flags = flags;
  launch.correlation = correlation;
  call_checked("launch", [&] { return info_.launch(info_.prepared, &launch); });
}

}  // namespace loci::verify
