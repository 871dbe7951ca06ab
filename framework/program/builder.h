// Appending operators to a block: the one path for user calls, gradients, files and passes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::program {

// The parts of an operator to be made. Slots are given by name; a slot that is not named is empty.
struct OperatorSpec {
  std::string type;
  std::string name;  // empty: "<type>_<n>"
  struct NamedSlot {
    std::string name;
    Slot vars;
  };
  std::vector<NamedSlot> inputs;
  Attributes attributes;
  std::string guard;
  Role role = Role::kForward;
  std::string scope;
  std::string origin;
  // Names of the outputs, flat; those not given become "<operator name>.<slot>".
  std::vector<std::string> output_names;
  // Writes into these existing persistable variables, which nothing else computes, instead of
  // making new ones: initialisers of parameters.
  std::vector<VarId> existing_outputs;
  // The blocks of an operator of control flow.
  std::vector<std::shared_ptr<const Block>> blocks = {};
};

// Checks the spec against the schema, infers dtypes and shapes, makes the output variables and
// appends the operator to the main block. Random ops get their state and offset. Outputs that
// update a slot are that slot's variables. Returns the outputs, flat. Throws
// Error(kInvalidArgument); the program is unchanged then.
std::vector<VarId> append_operator(ProgramImpl& program, const OperatorSpec& spec);

// dtypes and shapes of an operator's outputs, by slot, as its schema infers them from the variables
// of the block; only inputs and attributes of the operator are read. Throws as the inference does.
std::vector<std::vector<ops::TensorType>> infer_outputs(const Block& block, const Operator& op);

// The variable of random state; made if there is none.
VarId random_state(ProgramImpl& program);

// How many ProgramGuards this thread is in.
std::size_t program_guard_depth();
// The innermost DeviceGuard's place of this thread, as text; empty if there is none.
const std::string& current_guard();
// A place as guards keep it: a bare type stays bare, since it may mean the executor's own device.
std::string guard_text(const Place& place);

}  // namespace loci::program
