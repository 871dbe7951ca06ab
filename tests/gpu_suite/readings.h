// Reads what programs say of their checks, in the form that each has.
#pragma once

#include <string>

#include "tests/gpu_suite/step.h"

namespace loci::gpu_suite {

// Fills counts, rows and notes from what the program printed. Where it says nothing that can be
// read, or checked nothing, `message` says so: a program that ends well without a check is no
// proof.
void read_output(Reading reading, const std::string& out, StepResult* result);

}  // namespace loci::gpu_suite
