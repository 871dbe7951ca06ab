// The time that recording costs, as CUPTI tells it.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace loci::cuda {

// Times that CUPTI and the driver took for themselves, summed over all threads.
class CuptiOverhead {
 public:
  void add(CUpti_ActivityOverheadKind kind, std::uint64_t begin_ns, std::uint64_t end_ns);
  // "CUPTI tells of 1.25 ms of overhead: 1.2 ms for buffer flushes, ..."; empty if of none.
  [[nodiscard]] std::string note() const;

 private:
  std::map<std::string_view, std::uint64_t> ns_;  // by what it was for
};

}  // namespace loci::cuda
