// The rules of a program's form, and the check that it keeps them.
#pragma once

#include <string>

#include "framework/program/program_impl.h"

namespace loci::program {

// Checks of the main block: names and references; slots, arity and attributes of each operator
// against its schema; dtypes and shapes against what the schema infers (an extent that is unknown
// on either side fits any); that every value has one producer, which precedes its readers, and that
// only persistable variables are changed in place. Throws Error(kDataLoss): "[program] <where>.
// operators[3] ('relu_0'): <reason>", where `where` names the program, as in "net.json: main".
void verify(const ProgramImpl& program, const std::string& where);

// Returns true if both types may be those of one value.
bool compatible(const ops::TensorType& a, const ops::TensorType& b);

}  // namespace loci::program
