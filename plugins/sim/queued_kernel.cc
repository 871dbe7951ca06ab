#include "plugins/sim/queued_kernel.h"

#include <fmt/format.h>

#include <utility>

#include "plugins/sim/device.h"

namespace loci::sim {
namespace {

// Enqueued, or part of a graph, whose launches run it again and again.
class LaunchWork final : public Work {
 public:
  LaunchWork(std::shared_ptr<const QueuedKernel> kernel, std::unique_ptr<LaunchArguments> arguments,
             SimDevice& device)
      : kernel_(std::move(kernel)), arguments_(std::move(arguments)), device_(device) {}

  void run() override {
    kernel_->run(*arguments_);
    ++device_.counters().launches;
  }
  [[nodiscard]] std::string name() const override { return kernel_->op(); }
  [[nodiscard]] WorkFacts facts() const override {
    return {LOCI_DEVICE_WORK_KERNEL, LOCI_COPY_UNKNOWN, 0, arguments_->launch().correlation};
  }
  [[nodiscard]] std::chrono::nanoseconds duration() const override {
    return device_.machine().time.launch(kernel_->flops());
  }
  [[nodiscard]] std::chrono::nanoseconds launch_latency() const override {
    return device_.machine().time.launch(0);
  }
  [[nodiscard]] std::shared_ptr<Work> with_address(std::uint32_t argument, void* address,
                                                   std::vector<Access>* accesses) const override {
    auto arguments = kernel_->arguments_with(*arguments_, argument, address, device_.memory());
    *accesses = arguments->accesses();
    return std::make_shared<LaunchWork>(kernel_, std::move(arguments), device_);
  }
  [[nodiscard]] std::uint64_t kept_bytes() const override { return arguments_->kept_bytes(); }

 private:
  std::shared_ptr<const QueuedKernel> kernel_;
  std::unique_ptr<LaunchArguments> arguments_;
  SimDevice& device_;
};

}  // namespace

QueuedKernel::QueuedKernel(const sdk::Host& host, const loci_op_desc& op,
                           const loci_prepared_info& info, DestroyFn destroy)
    : host_(host),
      op_(sdk::to_view(op.op)),
      flops_(static_cast<double>(op.flops)),
      input_count_(op.input_slots[op.input_slot_count]),
      output_count_(op.output_slots[op.output_slot_count]),
      info_(info),
      destroy_(destroy) {}

QueuedKernel::~QueuedKernel() { destroy_(info_.prepared); }

void QueuedKernel::launch(const loci_launch& launch, Stream* stream) const {
  if (stream == nullptr) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     fmt::format("[sim] the launch of {} got no stream; give one", op_));
  }
  SimDevice& device = stream->device();
  device.failures().enter_call(device.failures().faults().launch, LOCI_CODE_FAILED, op_.c_str());
  auto arguments = std::make_unique<LaunchArguments>(launch, input_count_, output_count_,
                                                     info_.workspace_bytes, device.memory(), op_);
  if (stream->is_recording()) check_recorded(*arguments, launch.flags, *stream);
  if (!arguments->writes_host()) {
    const std::vector<Access> accesses = arguments->accesses();
    stream->enqueue(std::make_unique<LaunchWork>(shared_from_this(), std::move(arguments), device),
                    accesses);
    return;
  }
  if (arguments->reads_device()) {
    throw sdk::Error(
        LOCI_CODE_UNSUPPORTED,
        fmt::format("[sim] {} makes a value on the host from values on the device; run "
                    "it on the CPU",
                    op_));
  }
  run(*arguments);
}

// Neither can be done anew by each launch of a graph: what the host holds was copied, or has to be
// there when this returns.
void QueuedKernel::check_recorded(const LaunchArguments& arguments, std::uint64_t flags,
                                  Stream& stream) const {
  if ((flags & LOCI_LAUNCH_CAPTURING) == 0) {
    stream.refuse_recorded(op_ + " is launched without LOCI_LAUNCH_CAPTURING");
  }
  if (arguments.writes_host() || arguments.reads_host()) {
    stream.refuse_recorded(op_ + " has an argument on the host");
  }
}

std::unique_ptr<LaunchArguments> QueuedKernel::arguments_with(const LaunchArguments& arguments,
                                                              std::uint32_t argument, void* address,
                                                              const DeviceMemory& memory) const {
  std::vector<loci_view> views = arguments.public_views();
  const bool lies_on_device = argument < views.size() && views[argument].data != nullptr &&
                              views[argument].residence == LOCI_RESIDENCE_DEVICE;
  if (!lies_on_device) {
    throw sdk::Error(
        LOCI_CODE_INVALID_ARGUMENT,
        fmt::format("[sim] argument {} of {} has no address on the device", argument, op_));
  }
  views[argument].data = address;
  std::vector<const loci_view*> pointers;
  for (const loci_view& view : views) pointers.push_back(&view);
  loci_launch launch = arguments.launch();
  launch.inputs = pointers.data();
  launch.outputs = pointers.data() + input_count_;
  launch.workspace = arguments.public_workspace();
  return std::make_unique<LaunchArguments>(launch, input_count_, output_count_,
                                           info_.workspace_bytes, memory, op_);
}

void QueuedKernel::run(const LaunchArguments& arguments) const {
  loci_error* error = info_.launch(info_.prepared, &arguments.launch());
  if (error == nullptr) return;
  const loci_host_api& api = host_.api();
  const sdk::Error thrown(api.error_code(error),
                          std::string(sdk::to_view(api.error_message(error))));
  api.error_release(error);
  throw thrown;
}

}  // namespace loci::sim
