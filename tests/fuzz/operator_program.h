// An operator of the fuzz tests as a program.
#pragma once

#include "tests/fuzz/dice.h"
#include "tests/fuzz/operator_case.h"

namespace loci::fuzz {

// Builds a program of the one operator and runs it on the CPU. Throws what that throws, and
// Violation (operator_checks.h) if a result is not of the type that the program says.
void run_on_cpu(const OperatorCase& subject, Dice& dice);

}  // namespace loci::fuzz
