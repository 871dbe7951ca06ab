// A captured step depends on this besides elements: the form of its inputs, and the thread's modes.
#pragma once

#include <loci/tensor.hpp>
#include <string>
#include <vector>

#include "framework/device/device.h"

namespace loci::capture {

struct InputForm {
  DType dtype = DType::kNone;
  Shape shape;
  Place place;

  friend bool operator==(const InputForm& a, const InputForm& b) {
    return a.dtype == b.dtype && a.shape == b.shape && a.place == b.place;
  }
};

struct CallForm {
  std::vector<InputForm> inputs;
  Place place;                            // of the graph
  const device::Device* guard = nullptr;  // the innermost DeviceGuard's
  bool records = false;                   // gradients

  friend bool operator==(const CallForm& a, const CallForm& b) {
    return a.guard == b.guard && a.records == b.records && a.place == b.place &&
           a.inputs == b.inputs;
  }
};

// "float32[8, 3] at cpu, int64[8] at cpu".
[[nodiscard]] std::string describe(const std::vector<InputForm>& inputs);
// No two forms have the same.
[[nodiscard]] std::string key_of(const CallForm& form);
// The form of a call by this thread now. `place` is null where the caller names none.
[[nodiscard]] CallForm form_of(const std::vector<Tensor>& inputs, const Place* place);

}  // namespace loci::capture
