// CUPTI, opened at run time, and what it recorded.
#pragma once

#include <cupti.h>

#include <mutex>
#include <string>
#include <vector>

namespace loci::cuda_rules {

// The functions of the library that LOCI_CUDA_CUPTI names.
struct CuptiTable {
#define LOCI_CUPTI_FUNCTION(name) decltype(&::name) name = nullptr;
#include "plugins/cuda/cupti_functions.inc"
#undef LOCI_CUPTI_FUNCTION
  decltype(&::cuptiActivityEnableDriverApi) cuptiActivityEnableDriverApi = nullptr;
  decltype(&::cuptiGetVersion) cuptiGetVersion = nullptr;
  decltype(&::cuptiSubscribe) cuptiSubscribe = nullptr;
  void* library = nullptr;
};

const CuptiTable& cupti();

// Every record that came back so far, a copy by kind. Thread-safe.
class Recorded {
 public:
  static Recorded& get();

  std::vector<CUpti_ActivityKernel10> kernels;
  std::vector<CUpti_ActivityMemcpy6> copies;
  std::vector<CUpti_ActivityMemcpyPtoP4> peer_copies;
  std::vector<CUpti_ActivityMemset4> fills;
  std::vector<CUpti_ActivityAPI> calls;
  std::vector<CUpti_ActivityExternalCorrelation> external;
  std::vector<CUpti_ActivityOverhead3> overhead;

  [[nodiscard]] std::size_t count() const {
    return kernels.size() + copies.size() + peer_copies.size() + fills.size() + calls.size() +
           external.size() + overhead.size();
  }
  // The id that belongs to a record's call; 0: none.
  [[nodiscard]] std::uint64_t id_of(std::uint32_t correlation) const;
  // Returns the correlation of a call that was recorded by that name, 0 if none was.
  [[nodiscard]] std::uint32_t correlation_of(const std::string& call) const;
  void clear();

  void add(const CUpti_Activity& record);
  std::mutex mutex;
  std::size_t buffers = 0;  // that came back
  // For buffers that are asked for from now on.
  std::size_t buffer_bytes = 64 << 10;
  bool gives_buffers = true;
};

// Registers the callbacks, and enables the kinds.
void record(std::initializer_list<CUpti_ActivityKind> kinds);

}  // namespace loci::cuda_rules
