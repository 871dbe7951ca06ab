#include "tools/conformance/verify/bench.h"

namespace loci::verify {

Instance& Bench::instance() {
  if (instance_ == nullptr) instance_ = std::make_unique<Instance>(target_);
  return *instance_;
}

OpenDevice& Bench::device() {
  if (device_ == nullptr) device_ = std::make_unique<OpenDevice>(instance(), target_.index);
  return *device_;
}

void Bench::reset() {
  device_.reset();
  instance_.reset();
}

Check on_bench(std::string name, const std::shared_ptr<Bench>& bench, DeviceCheck check) {
  return {std::move(name), [bench, check]() -> Verdict {
            try {
              check(bench->device());
            } catch (const CheckSkipped&) {
              throw;
            } catch (...) {
              bench->reset();
              throw;
            }
            return {};
          }};
}

Check on_target(std::string name, const Target& target, TargetCheck check) {
  return {std::move(name), [target, check]() -> Verdict {
            check(target);
            return {};
          }};
}

}  // namespace loci::verify
