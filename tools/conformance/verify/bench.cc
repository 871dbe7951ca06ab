#include "tools/conformance/verify/bench.h"

namespace loci::verify {
namespace {

// For as long as the calls are about it.
class NotedDevice {
 public:
  explicit NotedDevice(std::uint32_t index) { note_device(fmt::format("device {}", index)); }
  ~NotedDevice() { note_device(""); }
  NotedDevice(const NotedDevice&) = delete;
  NotedDevice& operator=(const NotedDevice&) = delete;
};

// False if none of them applies to it.
bool run_on(Instance& instance, std::uint32_t index, const std::vector<DeviceCheck>& checks) {
  bool ran = false;
  const NotedDevice noted(index);
  try {
    OpenDevice device(instance, index);
    for (const DeviceCheck check : checks) {
      try {
        check(device);
        ran = true;
      } catch (const CheckSkipped&) {  // told of the device under test
      }
    }
  } catch (const CheckSkipped&) {
    throw;
  } catch (const std::exception& error) {
    fail("device {}: {}", index, error.what());
  }
  return ran;
}

}  // namespace

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

Check on_other_devices(std::string name, const Target& target, std::vector<DeviceCheck> checks) {
  return {std::move(name), [target, checks = std::move(checks)]() -> Verdict {
            Instance instance(target);
            const std::uint32_t count = instance.device_count();
            bool ran = false;
            for (std::uint32_t index = 0; index < count; ++index) {
              if (index != target.index) ran = run_on(instance, index, checks) || ran;
            }
            if (!ran) skip("the plugin brings no other device that this applies to");
            return {};
          }};
}

}  // namespace loci::verify
