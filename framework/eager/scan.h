// Scans of tensors: the function is called for each slice.
#pragma once

#include <cstdint>
#include <functional>
#include <loci/control_flow.hpp>
#include <loci/tensor.hpp>
#include <vector>

namespace loci::eager {

using ScanBody = std::function<ScanResult<Tensor>(const std::vector<Tensor>& carry,
                                                  const std::vector<Tensor>& xs)>;

// The values as a loop's first iteration gets them: what its gradients add up to reaches each as
// one contribution, as in a program.
[[nodiscard]] std::vector<Tensor> entering(const std::vector<Tensor>& values);

// How many steps it makes. Throws Error(kInvalidArgument) where stacked inputs and the length do
// not agree.
[[nodiscard]] std::int64_t scan_steps(const std::vector<Tensor>& xs, const ScanOptions& options);

// Runs as scan() does. Without a step there are no stacked outputs: nothing tells their form.
ScanResult<Tensor> run_scan(const ScanBody& body, const std::vector<Tensor>& carry,
                            const std::vector<Tensor>& xs, const ScanOptions& options);

}  // namespace loci::eager
