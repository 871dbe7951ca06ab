// Kernels of chains, compiled while a kernel that interprets does their work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <loci/plugin/host.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "compile_thread.h"
#include "driver.h"

namespace loci::cuda {

class ChainKernels;
class Device;
class NvrtcLibrary;
class Plugin;

// One chain's kernel, or what is on its way to be. Any thread may call.
class ChainKernel {
 public:
  ChainKernel(ChainKernels& kernels, std::string name, std::string source)
      : kernels_(kernels), name_(std::move(name)), source_(std::move(source)) {}

  // Null as long as it is not compiled.
  [[nodiscard]] CUfunction function() const { return function_.load(std::memory_order_acquire); }
  // Work was left to the kernel that interprets: steps times elements. From so much on that
  // compiling is worth it, a thread does it. The one call of the process that finds so for the
  // first time starts the compiler, and takes some tens of milliseconds.
  void note_interpreted(std::int64_t work);
  // Has it compiled if it is not, and waits. Null if that fails.
  CUfunction wait();

 private:
  friend class ChainKernels;
  enum class Stage { kWaiting, kCompiling, kEnded };

  void request();

  ChainKernels& kernels_;
  const std::string name_;
  const std::string source_;
  std::atomic<CUfunction> function_{nullptr};
  std::atomic<std::int64_t> interpreted_{0};
  std::atomic<Stage> stage_{Stage::kWaiting};
};

// The compiled chains of one device. Any thread may call.
class ChainKernels {
 public:
  // So many modules stay at most, until the device is closed: graphs may have their functions.
  static constexpr std::size_t kMostKernels = 256;

  ChainKernels(Plugin& plugin, Device& device, const sdk::Host& host)
      : plugin_(plugin), device_(device), host_(host) {}

  // Finds one kernel for each source: loads it if the disk has it, and compiles it at once if the
  // settings say so. Throws Error(LOCI_CODE_UNSUPPORTED) with the reason where nothing is compiled.
  std::shared_ptr<ChainKernel> find(const std::string& name, const std::string& source,
                                    bool has_mathematics);
  // No more is compiled; called before the device's modules are unloaded.
  void stop() { thread_.stop(); }

 private:
  friend class ChainKernel;

  const NvrtcLibrary& require_library(bool has_mathematics);
  std::shared_ptr<ChainKernel> find_or_add(const std::string& name, const std::string& source);
  [[nodiscard]] std::string key_of(const ChainKernel& kernel) const;
  void load_kept(ChainKernel& kernel);
  void compile(ChainKernel& kernel, const std::atomic<bool>& is_cancelled);
  void load(ChainKernel& kernel, const std::string& ptx);
  void end(ChainKernel& kernel);
  void tell_once(std::atomic<bool>& told, const std::string& message);

  Plugin& plugin_;
  Device& device_;
  const sdk::Host& host_;
  const NvrtcLibrary* library_ = nullptr;
  std::string architecture_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::map<std::string, std::shared_ptr<ChainKernel>> kernels_;  // by source
  std::atomic<bool> told_of_store_{false};
  std::atomic<bool> told_of_compiler_{false};
  CompileThread thread_;
};

}  // namespace loci::cuda
