#include <re2/re2.h>

#include <algorithm>
#include <loci/program.hpp>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "framework/core/quote.h"
#include "framework/core/raise.h"
#include "framework/program/builder.h"
#include "framework/program/control_flow.h"
#include "framework/program/program_impl.h"

namespace loci {
inline namespace v0 {
namespace {

using program::Block;
using program::Operator;
using program::Slot;
using program::VarId;

// RE2's text is "reason: argument", and the argument may be all of the pattern.
std::string reason_of(const re2::RE2& expression) {
  const std::string& argument = expression.error_arg();
  std::string_view reason = expression.error();
  if (argument.empty() || reason.size() < argument.size() + 2) return std::string(reason);
  reason.remove_suffix(argument.size() + 2);
  return fmt::format("{}: {}", reason, core::quote(argument));
}

// An automaton, not std::regex, whose recursion overflows the stack on long names and nested
// parentheses, and which takes exponential time for patterns such as (a+)+b: names come from files.
std::unique_ptr<const re2::RE2> compiled(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  // Half of what is usual, which takes a name of 100,000 characters: putting an automaton together
  // takes several times its memory.
  options.set_max_mem(std::int64_t{4} << 20);
  auto expression = std::make_unique<const re2::RE2>(pattern, options);
  if (!expression->ok()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[guard] {} is no regular expression: {}; write it in RE2's syntax, which has no "
                "look-around and no back references",
                core::quote(pattern), reason_of(*expression));
  }
  return expression;
}

template <class Visit>
void for_each_output(const Operator& op, const Visit& visit) {
  for (const Slot& slot : op.outputs) {
    for (const VarId id : slot) visit(id);
  }
}

bool matches(const re2::RE2& pattern, const Block& block, const Operator& op) {
  const auto match = [&](const std::string& name) { return re2::RE2::FullMatch(name, pattern); };
  bool found = match(op.name) || match(op.type());
  for_each_output(op, [&](VarId id) { found = found || match(block.var(id).name); });
  return found;
}

// A guarding of what a DeviceGuard around the matching operators would have caught.
class Guarding {
 public:
  Guarding(std::unique_ptr<const re2::RE2> pattern, std::string place)
      : pattern_(std::move(pattern)), place_(std::move(place)) {}

  std::size_t apply_to(program::ProgramImpl& program) {
    const std::size_t count = apply_to(program.main(), /*all=*/false);
    program.touch();
    return count;
  }

 private:
  // With `all`, every operator counts as matching: the block is one's that matches.
  std::size_t apply_to(Block& block, bool all) {
    std::size_t count = 0;
    for (Operator& op : block.ops) {
      const bool is_match = all || matches(*pattern_, block, op);
      program::edit_blocks(op, [&](Block& inner) { count += apply_to(inner, is_match); });
      if (!is_match) continue;
      op.guard = place_;
      claim_state(block, op);
      ++count;
    }
    for (Operator& op : block.ops) follow_state(block, &op);
    for (program::VarDesc& var : block.vars) {
      if (claimed_.count(var.name) != 0 && var.persistable) var.guard = place_;
    }
    return count;
  }

  // Parameters and statistics live where the operators are. What an update only reads, such as the
  // learning rate, belongs to all of them.
  void claim_state(Block& block, const Operator& op) {
    const auto claim = [&](VarId id) {
      program::VarDesc& var = block.var(id);
      if (!var.persistable || var.name == program::kRandomStateName) return;
      var.guard = place_;
      claimed_.insert(var.name);
    };
    for_each_output(op, claim);
    if (op.role == program::Role::kUpdate) return;
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) claim(id);
    }
  }

  // Updates and initialisers run where the state is.
  void follow_state(Block& block, Operator* op) {
    if (op->role != program::Role::kUpdate && op->role != program::Role::kInitialize) return;
    for_each_output(*op, [&](VarId id) {
      program::VarDesc& var = block.var(id);
      if (claimed_.count(var.name) == 0) return;
      var.guard = place_;
      op->guard = place_;
    });
  }

  std::unique_ptr<const re2::RE2> pattern_;
  std::string place_;
  std::set<std::string> claimed_;  // by name, which main and startup program share
};

}  // namespace

std::size_t guard_operators(const Program& main, const Program& startup, const std::string& pattern,
                            const Place& place) {
  Guarding guarding(compiled(pattern), program::guard_text(place));
  const std::size_t count = guarding.apply_to(*main.impl());
  return count + guarding.apply_to(*startup.impl());
}

}  // namespace v0
}  // namespace loci
