// Checks what has to come of an operator, whatever its arguments are.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "tests/fuzz/dice.h"
#include "tests/fuzz/operator_case.h"

namespace loci::fuzz {

// A behaviour of an operator that must not be.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Types = std::vector<std::vector<ops::TensorType>>;  // by slot

// Static, and so small that it can be run at once.
bool is_small(const Types& types);

// Shape inference, without values of host inputs. The bounds of the outputs, or nothing if it
// refuses. Throws Violation unless it gives consistent types or throws Error(kInvalidArgument or
// kUnsupported) whose message begins with the op in brackets, and holds little memory meanwhile.
std::optional<Types> check_inference(const OperatorCase& subject);

// Compiles and runs the operator on the CPU, on random elements, in a program in which some extents
// are unknown and some arguments are one variable. Says whether it gave a result. Throws Violation
// for one of another type than inferred, and for other errors than check_inference() allows.
bool check_run(const OperatorCase& subject, Dice& dice);

}  // namespace loci::fuzz
