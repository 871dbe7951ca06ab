// A prepared kernel of the portable ones, launched into a stream.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <loci/plugin/host.hpp>
#include <memory>
#include <string>

#include "plugins/sim/launch_arguments.h"

namespace loci::sim {

class Stream;

// Immutable. Enqueued launches hold it, so it may be let go while they run.
class QueuedKernel : public std::enable_shared_from_this<QueuedKernel> {
 public:
  using DestroyFn = void (*)(loci_prepared* prepared);

  // Owns `info.prepared`, which `destroy` ends. `op` is what it was prepared from.
  QueuedKernel(const sdk::Host& host, const loci_op_desc& op, const loci_prepared_info& info,
               DestroyFn destroy);
  ~QueuedKernel();
  QueuedKernel(const QueuedKernel&) = delete;
  QueuedKernel& operator=(const QueuedKernel&) = delete;

  [[nodiscard]] const sdk::Host& host() const { return host_; }
  [[nodiscard]] const std::string& op() const { return op_; }
  [[nodiscard]] double flops() const { return flops_; }

  // Enqueues; what has outputs on the host and reads nothing of the device runs at once, because
  // such outputs have to be there when launch returns. Throws sdk::Error.
  void launch(const loci_launch& launch, Stream* stream) const;
  // Returns these arguments but for the address of one, flat: inputs, then outputs. Throws
  // Error(LOCI_CODE_INVALID_ARGUMENT) if that has none on the device.
  [[nodiscard]] std::unique_ptr<LaunchArguments> arguments_with(const LaunchArguments& arguments,
                                                                std::uint32_t argument,
                                                                void* address,
                                                                const DeviceMemory& memory) const;
  // Runs the kernel on this thread. Throws sdk::Error.
  void run(const LaunchArguments& arguments) const;

 private:
  void check_recorded(const LaunchArguments& arguments, std::uint64_t flags, Stream& stream) const;

  const sdk::Host& host_;
  const std::string op_;
  const double flops_;
  const std::uint32_t input_count_;
  const std::uint32_t output_count_;
  const loci_prepared_info info_;
  const DestroyFn destroy_;
};

}  // namespace loci::sim
