// The exported functions.
#include <cuda.h>
#include <cupti.h>

#include <cstdio>

#include "tools/cuda_double/cupti/call_numbers.h"
#include "tools/cuda_double/cupti/external_ids.h"
#include "tools/cuda_double/cupti/recorder.h"
#include "tools/cuda_double/cupti/records.h"

using namespace loci::cupti_double;  // NOLINT: all that follows is the API

namespace {

// Returns the failure that LOCI_CUDA_DOUBLE plans for the call, as for those of the driver.
CUptiResult planned(const char* function) {
  return static_cast<CUptiResult>(loci_cuda_double_planned_code(function));
}

CUptiResult enable(const char* function, CUpti_ActivityKind kind, bool enabled) {
  if (const CUptiResult failure = planned(function)) return failure;
  if (!Recorder::has_kind(kind)) {
    std::fprintf(stderr, "[cuda double] %s: records of kind %d are not there\n", function,
                 static_cast<int>(kind));
    return CUPTI_ERROR_INVALID_KIND;
  }
  Recorder::get().enable(kind, enabled);
  return CUPTI_SUCCESS;
}

bool is_external_kind(CUpti_ExternalCorrelationKind kind) {
  return kind > CUPTI_EXTERNAL_CORRELATION_KIND_INVALID &&
         kind < CUPTI_EXTERNAL_CORRELATION_KIND_SIZE;
}

}  // namespace

CUptiResult CUPTIAPI cuptiGetVersion(uint32_t* version) {
  if (version == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char** text) {
  if (text == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  switch (result) {
    case CUPTI_SUCCESS: *text = "CUPTI_SUCCESS"; break;
    case CUPTI_ERROR_INVALID_PARAMETER: *text = "CUPTI_ERROR_INVALID_PARAMETER"; break;
    case CUPTI_ERROR_MAX_LIMIT_REACHED: *text = "CUPTI_ERROR_MAX_LIMIT_REACHED"; break;
    case CUPTI_ERROR_NOT_INITIALIZED: *text = "CUPTI_ERROR_NOT_INITIALIZED"; break;
    case CUPTI_ERROR_QUEUE_EMPTY: *text = "CUPTI_ERROR_QUEUE_EMPTY"; break;
    case CUPTI_ERROR_INVALID_KIND: *text = "CUPTI_ERROR_INVALID_KIND"; break;
    case CUPTI_ERROR_NOT_SUPPORTED: *text = "CUPTI_ERROR_NOT_SUPPORTED"; break;
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"; break;
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
      break;
    default: return CUPTI_ERROR_INVALID_PARAMETER;
  }
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t* timestamp) {
  if (timestamp == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (const CUptiResult failure = planned("cuptiGetTimestamp")) return failure;
  *timestamp = loci_cuda_double_time_ns();
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                    CUpti_BuffersCallbackCompleteFunc complete) {
  if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (const CUptiResult failure = planned("cuptiActivityRegisterCallbacks")) return failure;
  Recorder::get().buffers.set_callbacks(request, complete);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  return enable("cuptiActivityEnable", kind, true);
}

CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  return enable("cuptiActivityDisable", kind, false);
}

CUptiResult CUPTIAPI cuptiActivityEnableDriverApi(CUpti_CallbackId number, uint8_t enabled) {
  if (const CUptiResult failure = planned("cuptiActivityEnableDriverApi")) return failure;
  return Recorder::get().enable_call(number, enabled != 0) ? CUPTI_SUCCESS
                                                           : CUPTI_ERROR_INVALID_PARAMETER;
}

// Records are complete when they are made, so that no flag makes a difference.
CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t) {
  if (const CUptiResult failure = planned("cuptiActivityFlushAll")) return failure;
  if (!Recorder::get().buffers.has_callbacks()) return CUPTI_ERROR_INVALID_OPERATION;
  Recorder::get().buffers.flush();
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t* buffer, size_t bytes,
                                                CUpti_Activity** record) {
  if (buffer == nullptr || record == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  auto* next = buffer;
  if (*record != nullptr) {
    const std::size_t size = record_bytes((*record)->kind);
    if (size == 0) return CUPTI_ERROR_INVALID_KIND;
    next = reinterpret_cast<uint8_t*>(*record) + size;
  }
  if (next >= buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  if (dropped == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *dropped = Recorder::get().buffers.take_dropped();
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                            uint64_t id) {
  if (!is_external_kind(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
  external_ids()[kind].push_back(id);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                           uint64_t* last) {
  if (!is_external_kind(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
  auto& ids = external_ids()[kind];
  if (ids.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  if (last != nullptr) *last = ids.back();
  ids.pop_back();
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t number,
                                          const char** name) {
  if (name == nullptr || domain != CUPTI_CB_DOMAIN_DRIVER_API) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = name_of_call(number);
  return *name == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  if (type >= CUPTI_ACTIVITY_THREAD_ID_TYPE_SIZE) return CUPTI_ERROR_INVALID_PARAMETER;
  Recorder::get().number_threads_by_system(type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  return CUPTI_SUCCESS;
}
