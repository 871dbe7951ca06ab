#include "tools/cuda_double/driver/conditions.h"

#include <cstring>
#include <map>
#include <mutex>

#include "tools/cuda_double/driver/driver.h"

namespace loci::cuda_double {
namespace {

struct Conditions {
  std::mutex mutex;
  std::map<CUgraphConditionalHandle, std::weak_ptr<Condition>> by_handle;
  CUgraphConditionalHandle last = 0;
};

Conditions& conditions() {
  static auto* const all = new Conditions;  // kernels may run until the process ends
  return *all;
}

}  // namespace

std::shared_ptr<Condition> make_condition(unsigned default_value, bool assigns_default) {
  auto& all = conditions();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.by_handle, [](const auto& each) { return each.second.expired(); });
  auto condition = std::make_shared<Condition>();
  *condition = {++all.last, default_value, assigns_default, default_value};
  all.by_handle[condition->handle] = condition;
  return condition;
}

std::shared_ptr<Condition> find_condition(CUgraphConditionalHandle handle) {
  auto& all = conditions();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_handle.find(handle);
  return found == all.by_handle.end() ? nullptr : found->second.lock();
}

void set_condition(CUgraphConditionalHandle handle, unsigned value) {
  const auto condition = find_condition(handle);
  if (condition == nullptr) return;
  const std::lock_guard lock(conditions().mutex);
  condition->value = value;
}

unsigned value_of(const Condition& condition) {
  const std::lock_guard lock(conditions().mutex);
  return condition.value;
}

ExternalFunctions condition_setters(Driver& driver) {
  ExternalFunctions functions;
  functions["cudaGraphSetConditional"] = [&driver](const ExternalCall& call) {
    CUgraphConditionalHandle handle = 0;
    unsigned value = 0;
    std::memcpy(&handle, call.arguments[0].data(), sizeof handle);
    std::memcpy(&value, call.arguments[1].data(), sizeof value);
    if (find_condition(handle) == nullptr) {
      driver.findings.report("handle", "a kernel set a condition that there is not");
      return;
    }
    set_condition(handle, value);
  };
  return functions;
}

}  // namespace loci::cuda_double
