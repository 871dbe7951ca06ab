// The references of attention and its gradients.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/conformance/case.h"

namespace loci::conformance {

struct Attention {
  std::int64_t batch;
  std::int64_t heads;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t width;  // of one head
  std::int64_t value_width;
  std::optional<Shape> mask = std::nullopt;
  double factor = 0;
  std::vector<Real> mask_values{};  // repeated; none: any
  bool zero_hidden = true;
};

// Takes the inputs query, key, value and, if there is one, the mask.
Expected attended(const Attention& op, const Arrays& in);

// Takes these and, last, the gradient of the result; returns those of query, key and value.
std::vector<Expected> attention_gradients(const Attention& op, const Arrays& in);

}  // namespace loci::conformance
