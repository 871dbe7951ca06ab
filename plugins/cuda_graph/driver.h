// The CUDA driver as the plugin of the device has opened it, and one device of it.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstdint>
#include <loci/plugin/capturer.hpp>
#include <string>

#include "plugins/cuda/graph_trace.h"
#include "plugins/cuda/stream_recording.h"

namespace loci::cuda_graph {

// Pointers to the driver's functions. cuda.h renames many of them to a version ("cuGraphExecUpdate"
// is "cuGraphExecUpdate_v2"), and what is looked up is that name.
struct DriverFunctions {
// A declaration takes no parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define LOCI_CUDA_FUNCTION(name) decltype(&::name) name = nullptr;
#include "driver_functions.inc"
#undef LOCI_CUDA_FUNCTION
  // Those that know of edges, which cuda.h calls so from CUDA 13 on and drivers have from 12.3 on.
  PFN_cuStreamGetCaptureInfo_v12030 capture_info = nullptr;
  PFN_cuGraphNodeGetDependencies_v12030 node_dependencies = nullptr;
  PFN_cuGraphAddNode_v12030 add_node = nullptr;
  PFN_cuStreamUpdateCaptureDependencies_v12030 update_dependencies = nullptr;
};

// The objects of one capturer have this in common; they may outlive it. Any thread may call.
class Driver {
 public:
  // Throws Error(LOCI_CODE_UNSUPPORTED) for a device that is not the plugin cuda's, or whose driver
  // lacks a function.
  Driver(std::uint32_t index, const sdk::NativeHandles& handles);

  [[nodiscard]] const DriverFunctions* operator->() const { return &functions_; }
  [[nodiscard]] CUcontext context() const { return context_; }
  // Returns the version of the driver's interface: 12080 is 12.8.
  [[nodiscard]] int version() const { return version_; }
  // "cuda:0"
  [[nodiscard]] const std::string& place() const { return place_; }
  // Throws Error for a stream that is none.
  [[nodiscard]] CUstream stream(loci_stream* stream) const;
  [[nodiscard]] cuda::StreamRecording& recording_of(loci_stream* stream) const;
  [[nodiscard]] cuda::GraphTrace& trace() const { return *trace_; }
  // Throws Error with what was being done, the driver's code and text, and what to do about it.
  void check(CUresult status, const std::string& action) const {
    if (status != CUDA_SUCCESS) fail(status, action);
  }
  // "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED (901, operation failed due to ...)"
  [[nodiscard]] std::string text_of(CUresult status) const;

 private:
  [[noreturn]] void fail(CUresult status, const std::string& action) const;

  const sdk::NativeHandles handles_;
  const std::string place_;
  DriverFunctions functions_;
  int version_ = 0;
  CUcontext context_ = nullptr;
  cuda::GraphTrace* trace_ = nullptr;
};

// Makes the device's context current, and what was current before at its end. Quiet where that
// fails: the call that needs it fails then.
class CurrentContext {
 public:
  explicit CurrentContext(const Driver& driver)
      : driver_(driver), pushed_(driver->cuCtxPushCurrent(driver.context()) == CUDA_SUCCESS) {}
  ~CurrentContext() {
    CUcontext popped = nullptr;
    if (pushed_) driver_->cuCtxPopCurrent(&popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const Driver& driver_;
  bool pushed_;
};

}  // namespace loci::cuda_graph
