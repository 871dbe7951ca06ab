// Programs as text for people.
#pragma once

#include <string>

#include "framework/program/program_impl.h"

namespace loci::program {

// One line per data and persistable variable, then one per operator, then the results:
//   data %image float32[-1, 1, 8, 8]
//   parameter %conv.weight float32[8, 1, 3, 3] @cpu
//   %relu_0.out float32[-1, 8] = relu(x=%image) @cpu
//   %w = sgd(param=%w, grad=%w@GRAD, learning_rate=%learning_rate_0) [update]
//   return %relu_0.out
// The blocks of an operator follow it, indented:
//     block 0 (%x float32[2]):
//       %relu_1.out float32[2] = relu(x=%x)
//       return %relu_1.out
// An output that changes state is printed without its type; an empty slot as "none".
std::string to_text(const ProgramImpl& program);

// "float32[-1, 8]"; "unknown" for what only the run knows.
std::string type_text(const ops::TensorType& type);

}  // namespace loci::program
