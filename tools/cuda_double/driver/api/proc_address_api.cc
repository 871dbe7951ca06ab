// Functions by their names and versions.
#include <cudaProfiler.h>

#include <algorithm>
#include <vector>

#include "tools/cuda_double/driver/api/absent_functions.h"
#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/api/own_stream.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

extern "C" CUresult CUDAAPI cuStreamGetCaptureInfo_v2(CUstream, CUstreamCaptureStatus*, cuuint64_t*,
                                                      CUgraph*, const CUgraphNode**, std::size_t*);

namespace {

constexpr int kNewest = 13000;

struct Row {
  const char* name;
  int since;
  void* function;
  void* own_stream;  // the form for streams of threads; the same where there is none
};

const std::vector<Row>& rows() {
  static const auto& all = *new std::vector<Row>{
#define LOCI_FUNCTION(name, since) \
  {#name, since, reinterpret_cast<void*>(&name), reinterpret_cast<void*>(&name)},
#define LOCI_STREAM_FUNCTION(name, since) \
  {#name, since, reinterpret_cast<void*>(&name), reinterpret_cast<void*>(&OwnStream<&name>::call)},
#include "tools/cuda_double/driver/api/functions.inc"
#undef LOCI_FUNCTION
#undef LOCI_STREAM_FUNCTION
      {"cuStreamGetCaptureInfo", 11030, reinterpret_cast<void*>(&cuStreamGetCaptureInfo_v2),
       reinterpret_cast<void*>(&OwnStream<&cuStreamGetCaptureInfo_v2>::call)},
      // Before addresses had 64 bits.
      {"cuMemAlloc", 2000, absent_function("cuMemAlloc"), absent_function("cuMemAlloc")},
      {"cuMemFree", 2000, absent_function("cuMemFree"), absent_function("cuMemFree")}};
  return all;
}

struct Answer {
  void* function = nullptr;
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
};

Answer look_up(const std::string& name, int version, bool own_stream) {
  Answer answer;
  int newest = -1;
  for (const Row& row : rows()) {
    if (row.name != name) continue;
    if (answer.function == nullptr) answer.found = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    if (row.since > version || row.since <= newest) continue;
    newest = row.since;
    answer = {own_stream ? row.own_stream : row.function, CU_GET_PROC_ADDRESS_SUCCESS};
  }
  if (answer.found != CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND) return answer;
  void* absent = absent_function(name);
  if (absent != nullptr) answer = {absent, CU_GET_PROC_ADDRESS_SUCCESS};
  return answer;
}

}  // namespace

CUresult CUDAAPI cuGetProcAddress(const char* symbol, void** function, int version,
                                  cuuint64_t flags, CUdriverProcAddressQueryResult* found) {
  return enter("cuGetProcAddress_v2", kBeforeInit | kInHostFunctions, [&](Call&) {
    auto& place = result(function);
    constexpr cuuint64_t kKnown =
        CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    require(symbol != nullptr && (flags & ~kKnown) == 0 && version <= kNewest,
            "there is no symbol, or unknown flags, or a newer version");
    const bool own_stream = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
    const Answer answer = look_up(symbol, version, own_stream);
    place = answer.function;
    // The manual has CUDA_ERROR_NOT_FOUND where there is none; a driver calls that no error.
    if (found != nullptr) *found = answer.found;
  });
}

// A program that runs on the double may ask these questions besides.
extern "C" unsigned loci_cuda_double_finding_count() {
  return static_cast<unsigned>(Driver::get().findings.count());
}
extern "C" const char* loci_cuda_double_finding(unsigned index) {
  return Driver::get().findings.text(index);
}
// Calls of all threads are counted together.
extern "C" unsigned long long loci_cuda_double_call_count() {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  return driver.call_count();
}
extern "C" void loci_cuda_double_plan_failure(unsigned long long n, int code) {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  driver.plan_failure(n, code);
}
extern "C" const char* loci_cuda_double_failed_function() {
  Driver& driver = Driver::get();
  const std::lock_guard lock(driver.mutex);
  return driver.failed_function();
}
