#include "chain_kernels.h"

#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "device.h"
#include "plugin.h"

namespace loci::cuda {
namespace {

// Steps times elements. A step of an element takes more than a hundred instructions to interpret:
// so this is about a millisecond of a device, for some tens of the compiler's thread beside it.
constexpr std::int64_t kWorthCompiling = std::int64_t{1} << 26;
// The first chain of a process is worth this much: its launch waits until the compiler has started.
constexpr std::int64_t kWorthStarting = std::int64_t{1} << 30;

}  // namespace

void ChainKernel::note_interpreted(std::int64_t work) {
  if (stage_.load(std::memory_order_relaxed) != Stage::kWaiting) return;
  const std::int64_t total = interpreted_.fetch_add(work, std::memory_order_relaxed) + work;
  if (total >= (kernels_.library_->is_started() ? kWorthCompiling : kWorthStarting)) request();
}

void ChainKernel::request() {
  kernels_.device_.require_present();
  Stage expected = Stage::kWaiting;
  if (!stage_.compare_exchange_strong(expected, Stage::kCompiling)) return;
  try {
    kernels_.library_->start();
    kernels_.thread_.post(
        [this](const std::atomic<bool>& is_cancelled) { kernels_.compile(*this, is_cancelled); });
  } catch (...) {
    stage_ = Stage::kWaiting;  // nobody would ever end it
    throw;
  }
}

CUfunction ChainKernel::wait() {
  request();
  std::unique_lock lock(kernels_.mutex_);
  kernels_.ended_.wait(lock, [this] { return stage_ == Stage::kEnded; });
  return function();
}

std::shared_ptr<ChainKernel> ChainKernels::find(const std::string& name, const std::string& source,
                                                bool has_mathematics) {
  std::shared_ptr<ChainKernel> kernel;
  {
    const std::lock_guard lock(mutex_);
    require_library(has_mathematics);
    kernel = find_or_add(name, source);
  }
  if (plugin_.compiles_at_once()) kernel->wait();
  return kernel;
}

const NvrtcLibrary& ChainKernels::require_library(bool has_mathematics) {
  if (library_ == nullptr) {
    library_ = &plugin_.nvrtc();
    if (library_->unavailable().empty()) {
      architecture_ = library_->architecture(device_.compute_capability());
    }
  }
  const auto refuse = [](const std::string& reason) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, reason);
  };
  if (!library_->unavailable().empty()) refuse(library_->unavailable());
  if (architecture_.empty()) {
    refuse("NVRTC " + library_->version() + " knows no architecture as old as the device's");
  }
  if (has_mathematics && !library_->has_mathematics_of_plugin()) {
    refuse("NVRTC " + library_->version() +
           " may round functions such as exp otherwise than the plugin's kernels, which are of "
           "CUDA " +
           std::to_string(CUDA_VERSION / 1000) + "." + std::to_string(CUDA_VERSION % 1000 / 10));
  }
  return *library_;
}

std::shared_ptr<ChainKernel> ChainKernels::find_or_add(const std::string& name,
                                                       const std::string& source) {
  const auto found = kernels_.find(source);
  if (found != kernels_.end()) return found->second;
  if (kernels_.size() >= kMostKernels) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "the device has kernels of " +
                                                std::to_string(kMostKernels) +
                                                " chains already, and takes no more");
  }
  auto kernel = std::make_shared<ChainKernel>(*this, name, source);
  load_kept(*kernel);
  kernels_.emplace(source, kernel);
  return kernel;
}

std::string ChainKernels::key_of(const ChainKernel& kernel) const {
  return std::string(Plugin::kVersion) + "\n" + library_->facts() + architecture_ + "\n" +
         kernel.source_;
}

// One that the driver does not take is compiled anew when it is worth it.
void ChainKernels::load_kept(ChainKernel& kernel) {
  const std::optional<std::string> ptx = plugin_.chain_store().find(kernel.name_, key_of(kernel));
  if (!ptx) return;
  try {
    load(kernel, *ptx);
    kernel.stage_ = ChainKernel::Stage::kEnded;
  } catch (const sdk::Error& error) {
    tell_once(told_of_compiler_, error.what());
  }
}

void ChainKernels::compile(ChainKernel& kernel, const std::atomic<bool>& is_cancelled) {
  try {
    if (!is_cancelled) {
      const std::string ptx = library_->compile(kernel.source_, architecture_, is_cancelled);
      load(kernel, ptx);
      const std::string failure = plugin_.chain_store().keep(kernel.name_, key_of(kernel), ptx);
      if (!failure.empty()) {
        tell_once(told_of_store_, "compiled kernels are not kept for later runs: " + failure +
                                      "; mend that, or name another folder by XDG_CACHE_HOME");
      }
    }
  } catch (const std::exception& error) {
    if (!is_cancelled) {
      tell_once(told_of_compiler_, "chains of elementwise ops are interpreted, because " +
                                       kernel.name_ + " could not be compiled: " + error.what());
    }
  }
  end(kernel);
}

void ChainKernels::load(ChainKernel& kernel, const std::string& ptx) {
  const CUfunction function = device_.modules().load(ptx, kernel.name_.c_str());
  kernel.function_.store(function, std::memory_order_release);
}

void ChainKernels::end(ChainKernel& kernel) {
  {
    const std::lock_guard lock(mutex_);
    kernel.stage_ = ChainKernel::Stage::kEnded;
  }
  ended_.notify_all();
}

void ChainKernels::tell_once(std::atomic<bool>& told, const std::string& message) {
  if (told.exchange(true)) return;
  host_.log(LOCI_LOG_WARN, "[cuda] " + device_.place() + ": " + message);
}

}  // namespace loci::cuda
