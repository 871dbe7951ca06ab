#include "cupti_session.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace loci::cuda_rules {
namespace {

CuptiTable open_cupti() {
  CuptiTable table;
  const char* path = std::getenv("LOCI_CUDA_CUPTI");
  table.library = dlopen(path == nullptr ? "" : path, RTLD_NOW | RTLD_LOCAL);
  if (table.library == nullptr) throw std::runtime_error(dlerror());
  const auto find = [&](auto& function, const char* name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(table.library, name));
    if (function == nullptr) throw std::runtime_error(std::string(name) + " is missing");
  };
#define LOCI_CUPTI_FUNCTION(name) find(table.name, #name);
#include "plugins/cuda/cupti_functions.inc"
#undef LOCI_CUPTI_FUNCTION
  find(table.cuptiActivityEnableDriverApi, "cuptiActivityEnableDriverApi");
  find(table.cuptiGetVersion, "cuptiGetVersion");
  find(table.cuptiSubscribe, "cuptiSubscribe");
  return table;
}

void CUPTIAPI give(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  const Recorded& recorded = Recorded::get();
  *size = recorded.buffer_bytes;
  *buffer =
      recorded.gives_buffers ? static_cast<std::uint8_t*>(std::aligned_alloc(8, *size)) : nullptr;
  *most = 0;
}

void CUPTIAPI take(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t used) {
  Recorded& recorded = Recorded::get();
  const std::lock_guard lock(recorded.mutex);
  CUpti_Activity* next = nullptr;
  while (cupti().cuptiActivityGetNextRecord(buffer, used, &next) == CUPTI_SUCCESS) {
    recorded.add(*next);
  }
  ++recorded.buffers;
  std::free(buffer);
}

template <typename Record>
void copy_into(std::vector<Record>& records, const CUpti_Activity& record) {
  records.push_back(reinterpret_cast<const Record&>(record));
}

}  // namespace

const CuptiTable& cupti() {
  static const CuptiTable table = open_cupti();
  return table;
}

Recorded& Recorded::get() {
  static auto& recorded = *new Recorded;
  return recorded;
}

void Recorded::add(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return copy_into(kernels, record);
    case CUPTI_ACTIVITY_KIND_MEMCPY: return copy_into(copies, record);
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return copy_into(peer_copies, record);
    case CUPTI_ACTIVITY_KIND_MEMSET: return copy_into(fills, record);
    case CUPTI_ACTIVITY_KIND_DRIVER: return copy_into(calls, record);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: return copy_into(external, record);
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return copy_into(overhead, record);
    default: throw std::logic_error("a record of another kind");
  }
}

std::uint64_t Recorded::id_of(std::uint32_t correlation) const {
  for (const auto& each : external) {
    if (each.correlationId == correlation) return each.externalId;
  }
  return 0;
}

std::uint32_t Recorded::correlation_of(const std::string& call) const {
  for (const auto& each : calls) {
    const char* name = nullptr;
    cupti().cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, each.cbid, &name);
    if (name != nullptr && call == name) return each.correlationId;
  }
  return 0;
}

void Recorded::clear() {
  const std::lock_guard lock(mutex);
  kernels.clear();
  copies.clear();
  peer_copies.clear();
  fills.clear();
  calls.clear();
  external.clear();
  overhead.clear();
}

void record(std::initializer_list<CUpti_ActivityKind> kinds) {
  cupti().cuptiActivityRegisterCallbacks(&give, &take);
  for (const CUpti_ActivityKind kind : kinds) cupti().cuptiActivityEnable(kind);
}

}  // namespace loci::cuda_rules
