#include "driver.h"

#include <dlfcn.h>

namespace loci::cuda_graph {
namespace {

// The name that a macro of cuda.h makes of it.
#define LOCI_CUDA_TEXT(name) #name
#define LOCI_CUDA_NAME(name) LOCI_CUDA_TEXT(name)

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

// Empty, or the first function that is not there.
std::string find_functions(void* library, DriverFunctions& functions) {
#define LOCI_CUDA_FUNCTION(name) \
  if (!find(library, LOCI_CUDA_NAME(name), functions.name)) return LOCI_CUDA_NAME(name);
#include "driver_functions.inc"
#undef LOCI_CUDA_FUNCTION
  const char* info = "cuStreamGetCaptureInfo_v3";
  if (!find(library, info, functions.capture_info)) return info;
  const char* before = "cuGraphNodeGetDependencies_v2";
  if (!find(library, before, functions.node_dependencies)) return before;
  const char* add = "cuGraphAddNode_v2";
  if (!find(library, add, functions.add_node)) return add;
  const char* update = "cuStreamUpdateCaptureDependencies_v2";
  if (!find(library, update, functions.update_dependencies)) return update;
  return {};
}

struct StatusMeaning {
  loci_code code;
  const char* remedy;
};

StatusMeaning meaning_of(CUresult status) {
  switch (status) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return {LOCI_CODE_OUT_OF_MEMORY, "free tensors or graphs, or use smaller ones"};
    case CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE:
      return {LOCI_CODE_UNSUPPORTED, "instantiate the graph anew"};
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    case CUDA_ERROR_CAPTURED_EVENT:
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
    case CUDA_ERROR_ILLEGAL_STATE:
      return {LOCI_CODE_INVALID_ARGUMENT, "leave out of the capture what a graph cannot have"};
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return {LOCI_CODE_DEVICE_LOST,
              "save what the host has and start the program again, under compute-sanitizer"};
    default: return {LOCI_CODE_INTERNAL, "report it to the authors of Loci"};
  }
}

void* required(const sdk::NativeHandles& handles, const char* name, const std::string& place) {
  if (void* handle = handles.get(name)) return handle;
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[cuda_graph] " + place + " has no native handle '" +
                                              name +
                                              "', as devices of the plugin cuda have; its graphs "
                                              "cannot be captured");
}

}  // namespace

Driver::Driver(std::uint32_t index, const sdk::NativeHandles& handles)
    : handles_(handles), place_("cuda:" + std::to_string(index)) {
  const std::string missing = find_functions(required(handles, "cuda.driver", place_), functions_);
  if (!missing.empty()) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[cuda_graph] the driver of " + place_ + " has no " +
                                                missing + "; update the driver");
  }
  check(functions_.cuDriverGetVersion(&version_), "asking for the driver's version");
  context_ = static_cast<CUcontext>(required(handles, "cuda.context", place_));
  trace_ = static_cast<cuda::GraphTrace*>(required(handles, "cuda.graph.trace", place_));
}

CUstream Driver::stream(loci_stream* stream) const {
  void* handle = stream == nullptr ? nullptr : handles_.get("cuda.stream", stream);
  if (handle != nullptr) return static_cast<CUstream>(handle);
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[cuda_graph] there is no stream; give one of " + place_ + "'s");
}

cuda::StreamRecording& Driver::recording_of(loci_stream* stream) const {
  void* recording = handles_.get("cuda.stream.recording", stream);
  if (recording != nullptr) return *static_cast<cuda::StreamRecording*>(recording);
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[cuda_graph] a stream of " + place_ +
                                              " has no native handle 'cuda.stream.recording'; use "
                                              "the plugin cuda of the same version");
}

std::string Driver::text_of(CUresult status) const {
  const char* name = nullptr;
  const char* text = nullptr;
  functions_.cuGetErrorName(status, &name);
  functions_.cuGetErrorString(status, &text);
  return std::string(name == nullptr ? "CUDA status" : name) + " (" +
         std::to_string(static_cast<int>(status)) + (text == nullptr ? "" : ", ") +
         (text == nullptr ? "" : text) + ")";
}

void Driver::fail(CUresult status, const std::string& action) const {
  const StatusMeaning meaning = meaning_of(status);
  throw sdk::Error(meaning.code, "[cuda_graph] " + place_ + ": " + action + " ended with " +
                                     text_of(status) + "; " + meaning.remedy);
}

}  // namespace loci::cuda_graph
