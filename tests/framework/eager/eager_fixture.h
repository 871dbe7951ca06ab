// Tensors on the CPU and on software accelerators whose race checker is on.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <loci/plugins.hpp>
#include <vector>

#include "framework/core/config.h"
#include "framework/device/device_manager.h"
#include "framework/tensor/uses.h"
#include "tests/support/paths.h"

namespace loci::eager {

// A queue whose tasks end when the test says so.
class HeldQueue final : public tensor::WorkQueue {
 public:
  bool has_ended(std::uint64_t) noexcept override { return ended; }
  void wait(std::uint64_t) override { ended = true; }
  void keep(std::uint64_t, memory::Buffer) noexcept override {}
  bool ended = false;
};

class EagerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool kDone = (use_plugins(), true);  // the process has them once
    (void)kDone;
  }
  static void use_plugins() {
    core::set_config_value("CPU_ONEDNN", "0");
    core::set_config_value("SIM", "devices=4,race=1,delay_us=50,seed=7");
    plugins::SearchOptions options;
    options.directories = {test::plugin_directory()};
    plugins::configure(options);
  }

  static Tensor vector(const std::vector<float>& elements) {
    return Tensor::from(elements, {static_cast<std::int64_t>(elements.size())});
  }
  static Tensor variable(const std::vector<float>& elements, const Place& place = Place()) {
    Tensor made = vector(elements).to(place);
    made.set_requires_grad();
    return made;
  }
  static device::Device& device_at(const char* place) {
    return device::DeviceManager::instance().get(Place(place));
  }
  // Loses the device as its plugin would say so; and has it opened anew.
  static void lose_and_reopen(const char* place) {
    synchronize(place);  // so that no failure of its work is left for others to meet
    device_at(place).note_loss(Error(ErrorCode::kDeviceLost, "it fell off the bus"));
    reopen_device(place);
  }
  static std::vector<float> floats(const Tensor& tensor) { return tensor.to_vector<float>(); }
};

}  // namespace loci::eager
