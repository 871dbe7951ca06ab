#include "tools/cuda_double/cudnn/calls.h"

#include <map>
#include <mutex>

#include "tools/cuda_double/cudnn/refusal.h"

namespace loci::cudnn_double {
namespace {

struct Calls {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t until_failure = 0;
  int failure = 0;
};

Calls& calls() {
  static auto& instance = *new Calls;
  return instance;
}

}  // namespace

void count_call(const std::string& function) {
  const std::lock_guard lock(calls().mutex);
  ++calls().counts[function];
}

std::uint64_t call_count(const std::string& function) {
  const std::lock_guard lock(calls().mutex);
  const auto found = calls().counts.find(function);
  return found == calls().counts.end() ? 0 : found->second;
}

void plan_failure(std::uint64_t n, int status) {
  const std::lock_guard lock(calls().mutex);
  calls().until_failure = n;
  calls().failure = status;
}

void enter_convolution() {
  const std::lock_guard lock(calls().mutex);
  if (calls().until_failure == 0 || --calls().until_failure > 0) return;
  throw Refusal(calls().failure, "a failure was asked for");
}

}  // namespace loci::cudnn_double
