// Instructions in words, for logs and error messages.
#pragma once

#include <cstddef>
#include <string>

#include "framework/execution/plan.h"

namespace loci::execution {

// One line at operator=debug: place, op type, and input and output slots with variable names,
// dtypes and shapes, empty slots too. Transfers log themselves.
void log_instruction(const Plan& plan, std::size_t instruction);

// Describes a kernel's instruction: "inputs: {x[image:float32[1, 8, 8]], bias[]}, outputs: {...}".
std::string describe_arguments(const Plan& plan, const Instruction& instruction);

// "[conv2d] conv2d_0 at cpu, inputs: {x[image:float32[1, 8, 8]], bias[]}, outputs: {...}".
std::string describe_instruction(const Plan& plan, std::size_t instruction);

// "conv2d_0", "copy of image".
std::string instruction_name(const Plan& plan, std::size_t instruction);

}  // namespace loci::execution
