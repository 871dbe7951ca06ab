#include "tools/cuda_double/cupti/call_numbers.h"

#include <cuda.h>
#include <cupti.h>

#include <map>

namespace loci::cupti_double {
namespace {

struct Tables {
  std::map<std::string_view, std::uint32_t> numbers;
  std::map<std::uint32_t, const char*> names;

  void add(const char* name, std::uint32_t number) {
    numbers.emplace(name, number);
    names.emplace(number, name);
  }
};

// Expands a name as cuda.h does, since CUPTI's numbers go by the result.
#define LOCI_TEXT(name) #name
#define LOCI_ADD(name) tables.add(LOCI_TEXT(name), CUPTI_DRIVER_TRACE_CBID_##name);

// Kept for threads that outlive the program's end.
const Tables& tables() {
  static const Tables& all = *[] {
    auto* const made = new Tables;
    Tables& tables = *made;
#define LOCI_FUNCTION(name, since) LOCI_ADD(name)
#define LOCI_STREAM_FUNCTION(name, since) LOCI_ADD(name)
#include "tools/cuda_double/driver/api/functions.inc"
#undef LOCI_FUNCTION
#undef LOCI_STREAM_FUNCTION
    return made;
  }();
  return all;
}

}  // namespace

std::uint32_t number_of_call(std::string_view name) {
  const auto found = tables().numbers.find(name);
  return found == tables().numbers.end() ? 0 : found->second;
}

const char* name_of_call(std::uint32_t number) {
  const auto found = tables().names.find(number);
  return found == tables().names.end() ? nullptr : found->second;
}

}  // namespace loci::cupti_double
