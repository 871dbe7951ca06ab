// Texts of --guard, on a small program.
#include <algorithm>
#include <cctype>
#include <loci/control_flow.hpp>
#include <loci/layers.hpp>
#include <loci/ops.hpp>
#include <loci/optimizer.hpp>

#include "framework/program/builder.h"
#include "framework/program/json_form.h"
#include "framework/program/printer.h"
#include "framework/program/verifier.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/usage_error.h"
#include "tools/loci/model/guard_spec.h"

namespace loci::fuzz {
namespace {

using program::Operator;
using program::ProgramImpl;
using runner::GuardSpec;

constexpr const char* kFile = "guarded.json";
// RE2 takes up to 4 MiB for an automaton, before it says that the pattern is too large, and while
// it puts it together several times that beside it.
constexpr std::size_t kExpressionBytes = std::size_t{32} << 20;

Variable doubled_until_large(const Variable& x) {
  const auto is_small = [](const std::vector<Variable>& values) {
    return less_than(reduce_sum(values[0]), fill_constant(Shape{}, 100));
  };
  const auto twice = [](const std::vector<Variable>& values) {
    return std::vector<Variable>{scale(values[0], 2)};
  };
  return while_loop(is_small, twice, {x})[0];
}

// Operators with and without parameters, a loop's among them, a gradient, updates and initialisers.
io::Model build() {
  io::Model model;
  model.startup.emplace();
  const ProgramGuard building(model.main, *model.startup);
  const Variable hidden = relu(layers::fc(data("image", {-1, 4}, kFloat32), 3));
  hidden.rename("hidden=h\u00e9");
  const Variable loss = mean(hidden);
  loss.rename("loss");
  optimizer::SGD(0.1).minimize(loss);
  (void)doubled_until_large(data("x", {2}, kFloat32));
  return model;
}

io::Model copy_of(const io::Model& model) {
  io::Model copy;
  copy.main = model.main.clone();
  copy.startup = model.startup->clone();
  return copy;
}

std::string text_of(const io::Model& model) {
  return program::to_text(*model.main.impl()) + program::to_text(*model.startup->impl());
}

// A pattern that is a name, of which no character means anything else.
bool is_plain(const std::string& pattern) {
  return std::all_of(pattern.begin(), pattern.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

bool is_named(const ProgramImpl& program, const Operator& op, const std::string& name) {
  const auto is_output = [&](const program::Slot& slot) {
    return std::any_of(slot.begin(), slot.end(),
                       [&](program::VarId id) { return program.main().var(id).name == name; });
  };
  return op.name == name || op.type() == name ||
         std::any_of(op.outputs.begin(), op.outputs.end(), is_output);
}

// Updates also go with the parameters of others.
void check_named_operators(const GuardSpec& spec, const ProgramImpl& program) {
  for (const Operator& op : program.main().ops) {
    const bool has_guard = op.guard == program::guard_text(spec.place);
    const bool named = is_named(program, op, spec.pattern);
    demand(has_guard || !named, "an operator of that name has not the guard");
    demand(named || !has_guard || op.role == program::Role::kUpdate,
           "an operator of another name has the guard");
  }
}

void check_file_form(const io::Model& model) {
  const std::string written = program::to_json(*model.main.impl(), model.startup->impl().get());
  const program::ParsedPrograms again = program::from_json(written, kFile);
  demand(program::to_text(*again.main) + program::to_text(*again.startup) == text_of(model),
         "a guard is lost in the file form");
}

// The guard is what the text says, and the programs are programs still.
void check_guarded(const GuardSpec& spec, const io::Model& model, std::string_view text) {
  demand(text.substr(0, spec.pattern.size() + 1) == spec.pattern + "=",
         "the pattern is not the one of the text");
  const std::string guard = program::guard_text(spec.place);
  const GuardSpec again = runner::parse_guard(spec.pattern + "=" + guard);
  demand(again.pattern == spec.pattern && program::guard_text(again.place) == guard,
         "the guard is another one when it is written and read");
  program::verify(*model.main.impl(), kFile);
  program::verify(*model.startup->impl(), kFile);
  demand(text_of(model).find(" @" + guard) != std::string::npos, "nothing has the guard");
  if (is_plain(spec.pattern)) check_named_operators(spec, *model.main.impl());
  check_file_form(model);
}

void check(const std::string& text) {
  static const io::Model kModel = build();
  GuardSpec spec;
  io::Model model = copy_of(kModel);
  const auto apply = [&] {
    with_usage_errors([&] {
      spec = runner::parse_guard(text);
      runner::apply_guards({spec}, model);
    });
  };
  const std::string before = text_of(model);
  if (!accepts({text.size(), "[--guard] ", kUsageErrors, kExpressionBytes}, apply)) {
    demand(text_of(model) == before, "a guard that is refused changes the program");
    return;
  }
  check_guarded(spec, model, text);
  const std::string guarded = text_of(model);
  runner::apply_guards({spec}, model);
  demand(text_of(model) == guarded, "the guard is another one the second time");
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(std::string(loci::fuzz::as_text(data, size)));
  return 0;
}
