// Program files that load: they are run on the CPU, within limits, as they are and optimised.
#include <fmt/format.h>

#include <loci/executor.hpp>
#include <loci/inspect.hpp>
#include <loci/program.hpp>
#include <loci/scope.hpp>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "framework/core/config.h"
#include "framework/program/json_form.h"
#include "framework/program/verifier.h"
#include "tests/fuzz/bounded_program.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/same_tensor.h"

namespace loci::fuzz {
namespace {

using program::Block;
using program::Operator;
using program::ParsedPrograms;
using program::VarDesc;

constexpr const char* kFile = "hostile/program.json";
constexpr std::size_t kMostFetches = 16;
// Plans, kernels and what the plugins keep; tensors are not among it.
constexpr std::size_t kFixedBytes = std::size_t{64} << 20;

// All but kInternal, which says that Loci is wrong.
const std::vector<ErrorCode> kRefusals{
    ErrorCode::kInvalidArgument, ErrorCode::kNotFound,     ErrorCode::kUnavailable,
    ErrorCode::kUnsupported,     ErrorCode::kOutOfMemory,  ErrorCode::kDataLoss,
    ErrorCode::kFailed,          ErrorCode::kIncompatible, ErrorCode::kPolicy};

// The tensors that a run leaves, by name: what was fetched, and the variables of the scope.
using Results = std::map<std::string, Tensor>;

// Read once, by the first run. Code that oneDNN generates ends LeakSanitizer.
bool configure() {
  core::set_config_value("CPU_ONEDNN", "0");
  core::set_config_value("MEMORY_LIMIT", "8388608");
  core::set_config_value("THREADS", "1");
  core::set_config_value("LOG", "off");
  return true;
}

class LimitedModel {
 public:
  explicit LimitedModel(const ParsedPrograms& programs) : main_(programs.main) {
    if (programs.startup != nullptr) startup_.emplace(programs.startup);
    make_small(*main_.impl());
    if (startup_) make_small(*startup_->impl());
    main_.verify();
    if (startup_) startup_->verify();
  }

  [[nodiscard]] Results run(const CompileOptions& options) const {
    const Scope scope;
    fill(main_, scope);
    Executor executor(Place("cpu"), options, scope);
    if (startup_) {
      fill(*startup_, scope);
      executor.run(*startup_, feed_of(*startup_));
    }
    const std::vector<std::string> names = results_of(main_);
    const std::vector<Tensor> fetched =
        executor.run(main_, feed_of(main_), {names.begin(), names.end()});
    demand(fetched.size() == names.size(), "a result is missing");
    Results results;
    for (std::size_t i = 0; i < names.size(); ++i) {
      check_type(names[i], fetched[i]);
      results["fetched " + names[i]] = fetched[i];
    }
    for (const std::string& name : scope.names()) results["state " + name] = scope.find(name);
    return results;
  }

 private:
  static const Block& block_of(const Program& program) { return program.impl()->main(); }

  // The executor makes the random state itself.
  static void fill(const Program& program, const Scope& scope) {
    for (const VarDesc& var : block_of(program).vars) {
      const bool is_state = var.persistable && var.name != program::kRandomStateName;
      if (is_state && !scope.has(var.name)) scope.set(var.name, small_numbers(var));
    }
  }

  static Feed feed_of(const Program& program) {
    Feed feed;
    for (const Variable& variable : inspect::data_variables(program)) {
      feed.emplace_back(variable.name(), small_numbers(block_of(program).var(variable.id())));
    }
    return feed;
  }

  // Returns results that no operator reads, the last ones first: what is fetched is not optimised.
  static std::vector<std::string> results_of(const Program& program) {
    const Block& block = block_of(program);
    std::set<program::VarId> read;
    std::vector<std::string> names;
    for (auto op = block.ops.rbegin(); op != block.ops.rend(); ++op) {
      for (const program::Slot& slot : op->outputs) {
        for (const program::VarId id : slot) {
          const bool is_result = read.count(id) == 0 && !block.var(id).persistable;
          if (is_result && names.size() < kMostFetches) names.push_back(block.var(id).name);
        }
      }
      for (const program::Slot& slot : op->inputs) read.insert(slot.begin(), slot.end());
    }
    return names;
  }

  void check_type(const std::string& name, const Tensor& tensor) const {
    const ops::TensorType& type = block_of(main_).var(block_of(main_).find(name)).type;
    demand(
        type.dtype == DType::kNone || program::compatible(type, {tensor.dtype(), tensor.shape()}),
        fmt::format("'{}' is of another type than the program says", name));
  }

  Program main_;
  std::optional<Program> startup_;
};

void check_same(const Results& a, const Results& b) {
  demand(a.size() == b.size(), "a result is lost when the program is optimised");
  for (const auto& [name, tensor] : a) {
    const auto found = b.find(name);
    demand(found != b.end() && same(found->second, tensor),
           fmt::format("{} is another one when the program is optimised", name));
  }
}

void check(std::string_view text) {
  static const bool kConfigured = configure();
  (void)kConfigured;
  std::optional<LimitedModel> model;
  Results plain;
  const auto run = [&] {
    const ParsedPrograms programs = program::from_json(text, kFile);
    plain = model.emplace(programs).run(CompileOptions::none());
  };
  if (!accepts({text.size(), "[", kRefusals, kFixedBytes}, run)) return;
  const Reading again{text.size(), "[", {ErrorCode::kOutOfMemory}, kFixedBytes};
  Results exact;
  if (accepts_too(again, [&] { exact = model->run(CompileOptions::exact()); })) {
    check_same(plain, exact);
  }
  (void)accepts_too(again, [&] { (void)model->run(CompileOptions()); });
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}
