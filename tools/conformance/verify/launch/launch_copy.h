// A launch on memory of its own, to be made again and again beside the one that it was copied from.
#pragma once

#include <loci/abi/device.h>
#include <loci/abi/host.h>
#include <loci/abi/kernels.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loci::verify {

// Where launches are made. Without memory functions it is the host's.
struct LaunchPlace {
  const loci_device_api& api;
  const loci_host_api& host;
  loci_device* device;
  bool host_memory;
};

struct PreparedKernel {
  loci_prepared* object = nullptr;
  loci_error* (*launch)(const loci_prepared*, const loci_launch*) = nullptr;
  std::uint64_t workspace_bytes = 0;
  std::uint64_t state_bytes = 0;
};

struct ArgumentCounts {
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
};

using Contents = std::vector<std::vector<std::byte>>;

class LaunchCopy {
 public:
  // More is rehearsed for its aliases alone.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 10;
  // Returns true if the launch can be made again: its outputs are dense memory that no argument
  // shares, where the device works, and all together has at most `most_bytes`.
  static bool suits(const LaunchPlace& place, const loci_launch& launch,
                    const ArgumentCounts& counts, std::uint64_t most_bytes = kMostBytes);
  // Returns the bytes of all arguments together.
  static std::uint64_t bytes_of(const loci_launch& launch, const ArgumentCounts& counts);

  // The inputs are those of `launch`, the elements of plain floating ones turned by half their
  // number if `turns`. Waits for the launch's stream. With outputs for as many launches as there
  // are `slots`.
  LaunchCopy(const LaunchPlace& place, const loci_launch& launch, const ArgumentCounts& counts,
             bool turns, std::size_t slots = 1);
  ~LaunchCopy();
  LaunchCopy(const LaunchCopy&) = delete;
  LaunchCopy& operator=(const LaunchCopy&) = delete;

  // False if memory or a stream is missing; then nothing else may be called.
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] loci_stream* stream() const { return own_stream_; }
  // The first error that a call has met; empty: none.
  [[nodiscard]] const std::string& error() const { return error_; }
  // True once a call has said that the device is lost.
  [[nodiscard]] bool is_lost() const { return is_lost_; }

  // Returns true if that output fits into that input, and the input is a copy.
  [[nodiscard]] bool can_alias(const loci_alias& alias) const;
  // Fresh inputs, zeros in the outputs, the workspace and the state. With an alias, that output
  // lies in that input.
  void reset(const loci_alias* alias = nullptr);
  // From the next reset on the inputs are other ones, as by the constructor's `turns`.
  void turn();
  // Into a stream of its own, or into `stream`, with LOCI_LAUNCH_* flags. False if it fails.
  bool start(const PreparedKernel& kernel, loci_stream* stream = nullptr, std::uint64_t flags = 0);
  // Into its own stream, with the outputs of that slot. The others begin with zeros, as this does.
  bool start_in_slot(const PreparedKernel& kernel, std::size_t slot);
  // Waits. False if that work, or that of others in the stream, failed.
  bool finish(loci_stream* stream = nullptr);
  // Returns the content of the outputs, those of the first slot.
  Contents read();
  // The first output, in the first slot, behind whose bytes there was written since the reset.
  std::optional<std::uint64_t> overrun_output();
  // Returns true if the outputs of every slot hold that.
  bool all_hold(const Contents& expected);
  // reset, start, finish and read; empty if one of them failed.
  Contents run(const PreparedKernel& kernel, const loci_alias* alias = nullptr);

 private:
  struct Piece;
  bool add_inputs(const loci_launch& launch, std::uint32_t count, bool turns);
  bool add_outputs(const loci_launch& launch, std::uint32_t count);
  void* allocate(std::uint64_t bytes);
  void free(void* pointer);
  bool copy(void* target, std::uint32_t target_end, const void* source, std::uint32_t source_end,
            std::uint64_t bytes, loci_stream* stream);
  bool succeeds(loci_error* error);
  void* scratch(Piece& piece, std::uint64_t bytes);

  LaunchPlace place_;
  std::size_t slots_;
  std::string error_;
  bool is_lost_ = false;
  loci_stream* own_stream_ = nullptr;
  std::vector<loci_view> inputs_;
  std::vector<loci_view> outputs_;
  std::vector<std::unique_ptr<Piece>> input_pieces_;  // NULL: the original's memory
  std::vector<std::unique_ptr<Piece>> output_pieces_;
  std::unique_ptr<Piece> workspace_;
  std::vector<std::uint64_t> state_;
  bool usable_ = false;
};

}  // namespace loci::verify
