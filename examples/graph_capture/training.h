// The classifier of the example "digits", trained step by step, plainly or by replays of one
// captured step.
#pragma once

#include <loci/place.hpp>
#include <vector>

#include "dataset.h"

namespace training {

enum class Steps { kPlain, kCaptured };

struct Result {
  std::vector<float> losses;
  double host_us = 0;  // until a step has returned; a program's waits for the device
};

// `count` steps from the same parameters and batches in every call.
Result imperative(const digits::Split& data, const loci::Place& place, Steps steps, int count);
Result of_program(const digits::Split& data, const loci::Place& place, Steps steps, int count);

}  // namespace training
