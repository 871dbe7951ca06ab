#include "plugins/sim/queued_kernel.h"

#include <fmt/format.h>

#include <utility>

#include "plugins/sim/device.h"

namespace loci::sim {
namespace {

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
