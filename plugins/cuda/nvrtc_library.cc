#include "nvrtc_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <loci/plugin/error.hpp>
#include <vector>

#include "nvrtc_headers.h"

namespace loci::cuda {
namespace {

constexpr int kNewestNvrtc = 13;
constexpr int kOldestNvrtc = 12;
// Where toolkits have it, which a loader does not look into.
constexpr const char* kNvrtcFolder = "/usr/local/cuda/lib64/";
// The plugin's own kernels are compiled with these, too.
constexpr std::array<const char*, 2> kNvrtcOptions = {"-std=c++20", "--fmad=false"};

template <class Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

// Empty, or the first function that is not there.
std::string find_functions(void* library, NvrtcFunctions& functions) {
  find_function(library, "nvrtcSetFlowCallback", functions.set_flow_callback);
  std::string missing;
  const auto find = [&](const char* name, auto& function) {
    if (missing.empty() && !find_function(library, name, function)) missing = name;
  };
  find("nvrtcVersion", functions.version);
  find("nvrtcGetNumSupportedArchs", functions.architecture_count);
  find("nvrtcGetSupportedArchs", functions.architectures);
  find("nvrtcCreateProgram", functions.create);
  find("nvrtcDestroyProgram", functions.destroy);
  find("nvrtcCompileProgram", functions.compile);
  find("nvrtcGetPTXSize", functions.ptx_size);
  find("nvrtcGetPTX", functions.ptx);
  find("nvrtcGetProgramLogSize", functions.log_size);
  find("nvrtcGetProgramLog", functions.log);
  find("nvrtcGetErrorString", functions.result_text);
  return missing;
}

// A program of the library's while it is compiled.
class Compilation {
 public:
  Compilation(const NvrtcFunctions& functions, const std::string& source) : functions_(functions) {
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const NvrtcHeader& header : nvrtc_headers()) {
      texts.push_back(header.text);
      names.push_back(header.name);
    }
    check(functions.create(&program_, source.c_str(), "fused.cu", static_cast<int>(texts.size()),
                           texts.data(), names.data()));
  }
  ~Compilation() { functions_.destroy(&program_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  std::string run(const std::string& architecture, const std::atomic<bool>& is_cancelled) {
    if (functions_.set_flow_callback != nullptr) {
      void* flag = const_cast<std::atomic<bool>*>(&is_cancelled);
      functions_.set_flow_callback(program_, &ends, flag);
    }
    const std::string option = "--gpu-architecture=" + architecture;
    std::vector<const char*> options(kNvrtcOptions.begin(), kNvrtcOptions.end());
    options.push_back(option.c_str());
    check(functions_.compile(program_, static_cast<int>(options.size()), options.data()));
    std::size_t bytes = 0;
    check(functions_.ptx_size(program_, &bytes));
    std::string ptx(bytes, '\0');
    check(functions_.ptx(program_, ptx.data()));
    ptx.resize(ptx.find('\0'));
    return ptx;
  }

 private:
  static int ends(void* flag, void* /*unused*/) {
    return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0;
  }

  void check(NvrtcResult result) const {
    if (result == kNvrtcSuccess) return;
    throw sdk::Error(LOCI_CODE_UNSUPPORTED,
                     "NVRTC: " + std::string(functions_.result_text(result)) + first_line());
  }

  // Returns the first line of what the compiler says: " (fused.cu(3): error: ...)".
  [[nodiscard]] std::string first_line() const {
    std::size_t bytes = 0;
    if (program_ == nullptr || functions_.log_size(program_, &bytes) != kNvrtcSuccess) return {};
    std::string log(bytes, '\0');
    if (bytes < 2 || functions_.log(program_, log.data()) != kNvrtcSuccess) return {};
    return " (" + log.substr(0, log.find_first_of({'\n', '\0'})) + ")";
  }

  const NvrtcFunctions& functions_;
  NvrtcProgram program_ = nullptr;
};

}  // namespace

NvrtcLibrary::NvrtcLibrary(const std::string& setting, const Driver& driver, bool is_emulated) {
  if (setting == "0") {
    unavailable_ = "LOCI_CUDA_NVRTC=0 turns NVRTC off";
  } else if (!setting.empty()) {
    if (!open(setting)) unavailable_ += "; mend LOCI_CUDA_NVRTC";
  } else if (is_emulated) {
    unavailable_ =
        "no NVRTC: the device is emulated, and LOCI_CUDA_NVRTC names no library to compile with";
  } else {
    open_installed(driver.version());
  }
}

// The driver does not take what a library that is newer than it makes.
void NvrtcLibrary::open_installed(const std::string& driver_version) {
  const int major = std::min(std::atoi(driver_version.c_str()), kNewestNvrtc);
  std::string first_cause;
  for (int version = major; version >= kOldestNvrtc; --version) {
    const std::string file = "libnvrtc.so." + std::to_string(version);
    if (open(file)) return;
    if (first_cause.empty()) first_cause = unavailable_;
    if (open(kNvrtcFolder + file)) return;
  }
  unavailable_ = first_cause + "; install the package cuda-nvrtc-" + std::to_string(major) +
                 "-* of the CUDA toolkit, or name the library by LOCI_CUDA_NVRTC";
}

bool NvrtcLibrary::open(const std::string& file) {
  unavailable_.clear();
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* cause = ::dlerror();
    unavailable_ = "no NVRTC (" + std::string(cause == nullptr ? file.c_str() : cause) + ")";
    return false;
  }
  const std::string missing = find_functions(library, functions_);
  if (missing.empty()) {
    ask(file);
  } else {
    unavailable_ = "no NVRTC of 12 or newer (" + file + " has no " + missing + ")";
  }
  return unavailable_.empty();
}

void NvrtcLibrary::ask(const std::string& file) {
  int major = 0;
  int minor = 0;
  if (functions_.version(&major, &minor) != kNvrtcSuccess || major < kOldestNvrtc) {
    unavailable_ = "no NVRTC of 12 or newer (" + file + " is of " + std::to_string(major) + ")";
    return;
  }
  version_ = std::to_string(major) + "." + std::to_string(minor);
  is_version_of_plugin_ = 1000 * major + 10 * minor == CUDA_VERSION;
}

std::string NvrtcLibrary::architecture(int capability) const {
  int count = 0;
  if (functions_.architecture_count(&count) != kNvrtcSuccess || count <= 0) return {};
  std::vector<int> known(static_cast<std::size_t>(count));
  if (functions_.architectures(known.data()) != kNvrtcSuccess) return {};
  const auto is_newer = [&](int number) { return number > capability; };
  known.erase(std::remove_if(known.begin(), known.end(), is_newer), known.end());
  if (known.empty()) return {};
  return "compute_" + std::to_string(*std::max_element(known.begin(), known.end()));
}

void NvrtcLibrary::start() const {
  std::call_once(starts_, [this] {
    NvrtcProgram program = nullptr;
    const char* nothing = "extern \"C\" __global__ void nothing() {}";
    if (functions_.create(&program, nothing, "nothing.cu", 0, nullptr, nullptr) == kNvrtcSuccess) {
      functions_.compile(program, static_cast<int>(kNvrtcOptions.size()), kNvrtcOptions.data());
      functions_.destroy(&program);
    }
    is_started_.store(true, std::memory_order_release);
  });
}

std::string NvrtcLibrary::compile(const std::string& source, const std::string& architecture,
                                  const std::atomic<bool>& is_cancelled) const {
  return Compilation(functions_, source).run(architecture, is_cancelled);
}

std::string NvrtcLibrary::facts() const {
  std::string facts = "NVRTC " + version_;
  for (const char* option : kNvrtcOptions) facts.append(" ").append(option);
  for (const NvrtcHeader& header : nvrtc_headers()) {
    facts.append("\n").append(header.name).append(" ").append(std::to_string(header.digest));
  }
  return facts + "\n";
}

}  // namespace loci::cuda
