// Rewriting a program before it is compiled: what a pass is, and the list of them.
//
// A pass changes the main block of a program that nobody else sees: a copy of the user's for one
// plan. It keeps what the block computes, to the bit; variables keep their indices and names, so
// that fetches find them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::passes {

// Runs one operator on values that are known, and returns its outputs, flat, on the host. Nothing
// if that could give other bits than the run would, or is not possible. Inputs are by slot; those
// of which only the metadata is read are undefined.
using Evaluate = std::function<std::optional<std::vector<Tensor>>(
    const program::Operator& op, const program::Block& block,
    const std::vector<std::vector<Tensor>>& inputs)>;

struct PassContext {
  // By variable: fetched, or a result of the program.
  std::vector<bool> kept;
  Evaluate evaluate;
};

struct Pass {
  const char* name;
  const char* summary;
  void (*run)(program::Block& block, const PassContext& context);
};

// In the order in which they run.
const std::vector<Pass>& all_passes();

// Throws Error(kInvalidArgument) with similar names unless there is a pass of that name.
void check_pass(const std::string& name);

// Runs the passes that are not disabled, up to and with `last` (all, if it is empty), and then the
// same ones inside each block of control flow.
void run_passes(program::Block& block, const PassContext& context,
                const std::vector<std::string>& disabled, const std::string& last = {});

// Whether the operator does nothing but compute its outputs from its inputs: no random numbers, no
// state that it changes or initialises, and no blocks.
[[nodiscard]] bool is_pure(const program::Operator& op, const program::Block& block);

}  // namespace loci::passes
