#include "condition_setter.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

namespace loci::cuda_graph {
namespace {

constexpr const char* kKernel = "loci_set_condition";
constexpr const char* kPtx = R"(.version 8.3
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry loci_set_condition(.param .u64 condition, .param .u64 byte, .param .u32 opposite)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [condition];
  ld.param.u64 %rd2, [byte];
  cvta.to.global.u64 %rd3, %rd2;
  ld.global.u8 %r1, [%rd3];
  setp.ne.u32 %p1, %r1, 0;
  selp.u32 %r2, 1, 0, %p1;
  ld.param.u32 %r3, [opposite];
  xor.b32 %r4, %r2, %r3;
  {
  .param .b64 handle_argument;
  .param .b32 value_argument;
  st.param.b64 [handle_argument], %rd1;
  st.param.b32 [value_argument], %r4;
  call.uni cudaGraphSetConditional, (handle_argument, value_argument);
  }
  ret;
}
)";

[[noreturn]] void refuse(const Driver& driver, const std::string& why) {
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[cuda_graph] " + driver.place() +
                                              ": no loop or branch can be a graph's: " + why);
}

std::vector<std::string> places_of(const std::string& library) {
  if (!library.empty()) return {library};
  std::vector<std::string> places;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(name);
    if (root != nullptr && *root != '\0') {
      places.push_back(std::string(root) + "/lib64/libcudadevrt.a");
    }
  }
  places.emplace_back("/usr/local/cuda/lib64/libcudadevrt.a");
  places.emplace_back("/usr/lib/x86_64-linux-gnu/libcudadevrt.a");
  return places;
}

std::vector<char> read_library(const Driver& driver, const std::string& library) {
  if (library != "0") {
    for (const std::string& place : places_of(library)) {
      std::ifstream file(place, std::ios::binary);
      std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
      if (!bytes.empty()) return bytes;
    }
  }
  refuse(driver,
         "there is no libcudadevrt.a; install the package cuda-cudart-dev, or set "
         "LOCI_CUDA_GRAPH_CUDADEVRT to it");
}

// Loading code is forbidden to a thread while others capture in the mode global.
class RelaxedThread {
 public:
  explicit RelaxedThread(const Driver& driver) : driver_(driver) {
    driver_->cuThreadExchangeStreamCaptureMode(&mode_);
  }
  ~RelaxedThread() { driver_->cuThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedThread(const RelaxedThread&) = delete;
  RelaxedThread& operator=(const RelaxedThread&) = delete;

 private:
  const Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// The code that the driver has linked, while it lives.
class Link {
 public:
  explicit Link(const Driver& driver) : driver_(driver) {
    require(driver_->cuLinkCreate(0, nullptr, nullptr, &state_));
  }
  ~Link() {
    if (state_ != nullptr) driver_->cuLinkDestroy(state_);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void add(CUjitInputType type, const void* data, std::size_t bytes, const char* name) {
    require(driver_->cuLinkAddData(state_, type, const_cast<void*>(data), bytes, name, 0, nullptr,
                                   nullptr));
  }
  CUmodule load() {
    void* image = nullptr;
    CUmodule module = nullptr;
    require(driver_->cuLinkComplete(state_, &image, nullptr));
    require(driver_->cuModuleLoadData(&module, image));
    return module;
  }

 private:
  void require(CUresult status) const {
    if (status == CUDA_SUCCESS) return;
    refuse(driver_, "linking libcudadevrt.a ended with " + driver_.text_of(status));
  }

  const Driver& driver_;
  CUlinkState state_ = nullptr;
};

}  // namespace

CUfunction ConditionSetter::function(const Driver& driver) {
  const std::lock_guard lock(mutex_);
  if (function_ != nullptr) return function_;
  const std::vector<char> library = read_library(driver, library_);
  const RelaxedThread relaxed(driver);
  Link link(driver);
  link.add(CU_JIT_INPUT_PTX, kPtx, std::char_traits<char>::length(kPtx) + 1, kKernel);
  link.add(CU_JIT_INPUT_LIBRARY, library.data(), library.size(), "libcudadevrt.a");
  module_ = link.load();
  driver.check(driver->cuModuleGetFunction(&function_, module_, kKernel), "looking a kernel up");
  return function_;
}

void ConditionSetter::enqueue(const Driver& driver, CUstream stream,
                              CUgraphConditionalHandle condition, CUdeviceptr byte,
                              bool is_opposite) {
  std::uint32_t opposite = is_opposite ? 1 : 0;
  void* arguments[] = {&condition, &byte, &opposite};
  driver.check(
      driver->cuLaunchKernel(function(driver), 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr),
      "telling a condition");
}

void ConditionSetter::unload(const Driver& driver) {
  const std::lock_guard lock(mutex_);
  if (module_ == nullptr) return;
  const CurrentContext current(driver);
  driver->cuModuleUnload(module_);
  module_ = nullptr;
  function_ = nullptr;
}

}  // namespace loci::cuda_graph
