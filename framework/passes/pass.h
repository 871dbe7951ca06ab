// Rewriting a program before it is compiled: what a pass is, and the list of them.
//
// A pass changes the main block of a program that nobody else sees: a copy of the user's for one
// plan. It keeps what the block computes: to the bit, or within the documented bounds of the ops.
// Variables keep their indices and names, so that fetches find them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/passes/size_notes.h"
#include "framework/program/program_impl.h"

namespace loci::passes {

// Runs one operator on values that are known, and returns its outputs, flat, on the host. Nothing
// if that could give other bits than the run would, or is not possible. Inputs are by slot; those
// of which only the metadata is read are undefined.
using Evaluate = std::function<std::optional<std::vector<Tensor>>(
    const program::Operator& op, const program::Block& block,
    const std::vector<std::vector<Tensor>>& inputs)>;

using HasKernel = std::function<bool(std::string_view type, DType dtype, const std::string& guard)>;

// Returns true if the place is the host's own, where what fits into caches costs little to store.
using IsHost = std::function<bool(const std::string& guard)>;

struct PassContext {
  // True for each variable, by id, that is fetched, or is a result of the program.
  std::vector<bool> kept;
  Evaluate evaluate;
  // Returns true if operators of that type and leading dtype have kernels where the guard says, an
  // empty one meaning the preferred place: some shapes may still be refused. Empty: none have.
  HasKernel has_kernel = {};
  IsHost is_host = {};  // empty: every place is
  // For what passes do with sizes, see size_notes.h; null where nobody wants to know.
  SizeNotes* sizes = nullptr;
};

// A file <name>.cc defines `Pass <name>()`, tests/framework/passes/<name>_test.cc tests it, and the
// line of that name in passes.cmake says when it runs.
struct Pass {
  const char* summary;
  void (*run)(program::Block& block, const PassContext& context);
  bool keeps_bits = true;
  const char* name = "";  // set by all_passes()
};

// In the order in which they run.
const std::vector<Pass>& all_passes();
// Names of those after which results may differ in the last bits.
std::vector<std::string> passes_that_change_bits();

// Throws Error(kInvalidArgument) with similar names unless there is a pass of that name.
void check_pass(const std::string& name);

// Runs that one on the block, and on none of its operators' blocks. Throws as check_pass() does.
void run_pass(std::string_view name, program::Block& block, const PassContext& context);

// Runs the passes that are not disabled, up to and with `last` (all, if it is empty), and then the
// same ones inside each block of control flow.
void run_passes(program::Block& block, const PassContext& context,
                const std::vector<std::string>& disabled, const std::string& last = {});

// Leaves the operators out that are marked, by position.
void remove_operators(program::Block& block, const std::vector<bool>& is_gone);

// Returns true if the operator only computes its outputs from its inputs: no random numbers, no
// state that it changes or initialises, and no blocks.
[[nodiscard]] bool is_pure(const program::Operator& op, const program::Block& block);

}  // namespace loci::passes
