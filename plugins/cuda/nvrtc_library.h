// NVRTC, the compiler of CUDA source, opened at run time: the plugin links nothing of it, is built
// without its header, and has kernels that need no compiler where it is not.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "driver.h"

namespace loci::cuda {

// The declarations are those of nvrtc.h.
using NvrtcProgram = struct _nvrtcProgram*;  // NOLINT(bugprone-reserved-identifier)
using NvrtcResult = int;
inline constexpr NvrtcResult kNvrtcSuccess = 0;

struct NvrtcFunctions {
  NvrtcResult (*version)(int* major, int* minor);
  NvrtcResult (*architecture_count)(int* count);
  NvrtcResult (*architectures)(int* numbers);
  NvrtcResult (*create)(NvrtcProgram* program, const char* source, const char* name,
                        int header_count, const char* const* headers,
                        const char* const* include_names);
  NvrtcResult (*destroy)(NvrtcProgram* program);
  NvrtcResult (*compile)(NvrtcProgram program, int option_count, const char* const* options);
  NvrtcResult (*ptx_size)(NvrtcProgram program, std::size_t* bytes);
  NvrtcResult (*ptx)(NvrtcProgram program, char* text);
  NvrtcResult (*log_size)(NvrtcProgram program, std::size_t* bytes);
  NvrtcResult (*log)(NvrtcProgram program, char* text);
  const char* (*result_text)(NvrtcResult result);
  // May be absent: before 13.0 nothing ends a compilation.
  NvrtcResult (*set_flow_callback)(NvrtcProgram program, int (*callback)(void* data, void* unused),
                                   void* data);
};

// The library of the process: opened once, and never closed. Any thread may call.
class NvrtcLibrary {
 public:
  // `setting` is the path of another library than that which belongs to the driver's version, "0"
  // for none, and empty for that. Nothing is compiled for an emulated device unless a library is
  // named: it would take longer than it saves.
  NvrtcLibrary(const std::string& setting, const Driver& driver, bool is_emulated);

  // Why there is none, in one line; empty where there is one.
  [[nodiscard]] const std::string& unavailable() const { return unavailable_; }
  [[nodiscard]] const std::string& version() const { return version_; }  // "13.0"
  // Returns true if its functions of mathematics are those of the toolkit that compiled the
  // plugin's kernels, to the last bit.
  [[nodiscard]] bool has_mathematics_of_plugin() const { return is_version_of_plugin_; }
  // Returns "compute_90" for a device of compute capability `major`.`minor`, given as 10 * major +
  // minor: the newest that both know. Empty if there is none.
  [[nodiscard]] std::string architecture(int capability) const;

  // Compiles a kernel of nothing when first called, which takes some tens of milliseconds. What the
  // library keeps for the whole process is made by its first compilation, and destroyed when the
  // process ends: a thread must not be in that compilation then, but may be in later ones, if it
  // is stopped by what was registered after this. Any thread may call.
  void start() const;
  [[nodiscard]] bool is_started() const { return is_started_.load(std::memory_order_acquire); }
  // PTX of a source whose includes are the plugin's kernels/. Throws Error(LOCI_CODE_UNSUPPORTED)
  // with what the compiler says, or where `is_cancelled` became true meanwhile.
  [[nodiscard]] std::string compile(const std::string& source, const std::string& architecture,
                                    const std::atomic<bool>& is_cancelled) const;
  // All that PTX hangs on besides its source and architecture.
  [[nodiscard]] std::string facts() const;

 private:
  void open_installed(const std::string& driver_version);
  bool open(const std::string& file);
  void ask(const std::string& file);

  NvrtcFunctions functions_{};
  std::string version_;
  bool is_version_of_plugin_ = false;
  std::string unavailable_;
  mutable std::once_flag starts_;
  mutable std::atomic<bool> is_started_{false};
};

}  // namespace loci::cuda
