#include "framework/planning/specialization.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/device/device_manager.h"
#include "framework/ops/op_registry.h"
#include "framework/passes/pass.h"
#include "framework/planning/constant_evaluator.h"
#include "framework/planning/type_binding.h"
#include "framework/program/control_flow.h"
#include "framework/program/guard_text.h"

namespace loci::planning {
namespace {

using execution::PlanFeed;
using program::Block;
using program::Operator;
using program::VarId;

// Appended before the passes run: a random operator that nobody reads must not change which numbers
// the next run draws.
void append_random_advance(Block& block) {
  VarId state = program::kNoVar;
  for (const Operator& op : block.ops) {
    if (!op.schema->is_random()) continue;
    const VarId drawn =
        op.inputs[static_cast<std::size_t>(op.schema->input_index("state"))].front();
    // One that adds to offsets is set by whoever gives it.
    if (block.var(drawn).type.shape != Shape{3}) state = drawn;
  }
  const bool in_branches = state == program::kNoVar && program::draws_random_numbers(block);
  if (in_branches) state = block.find(program::kRandomStateName);
  if (state == program::kNoVar) return;
  Operator advance;
  advance.schema = &ops::op_registry().get("random_advance");
  advance.name = "random_advance";
  advance.inputs = {{state}};
  advance.outputs = advance.inputs;
  block.ops.push_back(std::move(advance));
}

const char* standing_text(const std::string& guard) {
  switch (program::standing_of(guard)) {
    case program::Standing::kGuarded: break;
    case program::Standing::kMoved: return "is where to() has moved its inputs,";
    case program::Standing::kFound: return "is where its inputs lay when it was traced,";
  }
  return "is under the device guard";
}

// Before the passes run: an operator that they fold or drop is never placed, and its guard as
// wrong.
void check_guards(const Block& block, const Place& preferred, std::set<std::string>* checked) {
  auto& devices = device::DeviceManager::instance();
  for (const Operator& op : block.ops) {
    for (const auto& inner : op.blocks) check_guards(*inner, preferred, checked);
    if (!checked->insert(op.guard).second) continue;
    try {
      const Place place = devices.resolve(program::guarded_place(op.guard), preferred);
      const auto index = static_cast<std::uint32_t>(place.index());
      if (devices.count(place.type()) <= index) devices.get(place);
    } catch (const Error& error) {
      throw error.within(fmt::format("[{}] {} {} '{}'", op.type(), op.name, standing_text(op.guard),
                                     program::guarded_place(op.guard).to_string()));
    }
  }
}

// A plugin's op calls into the instance of the context in which the program was made.
void check_context(const Block& block) {
  for (const Operator& op : block.ops) {
    for (const auto& inner : op.blocks) check_context(*inner);
    if (op.schema->plugin().empty() || ops::op_registry().find(op.type()) == op.schema) continue;
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] {} is an op of the plugin {} in another context than number {}, in which the "
                "program is to run; enter the context in which it was made with a ContextGuard, or "
                "save the program there and load it here",
                op.type(), op.name, op.schema->plugin(), core::Context::current().number());
  }
}

std::vector<std::string> disabled_passes(const CompileOptions& options) {
  std::vector<std::string> names = options.disabled_passes;
  if (options.optimization != Optimization::kExact) return names;
  for (std::string& name : passes::passes_that_change_bits()) names.push_back(std::move(name));
  return names;
}

// Returns true if feeds may come in other sizes.
bool has_sizes(const PlanRequest& request) {
  const Block& block = request.program->main();
  return std::any_of(request.feeds.begin(), request.feeds.end(), [&](const PlanFeed& feed) {
    const program::VarDesc& var = block.var(block.find(feed.name));
    return !var.persistable && !var.type.shape.is_static();
  });
}

// So that changing the program cannot pull it from under a run.
std::shared_ptr<program::ProgramImpl> copy_for(const PlanRequest& request) {
  auto program = std::make_shared<program::ProgramImpl>(*request.program);
  Block& block = program->main();
  for (const PlanFeed& feed : request.feeds) {
    program::VarDesc& var = block.var(block.find(feed.name));
    if (!var.persistable) var.type.shape = feed.shape;
  }
  append_random_advance(block);
  return program;
}

void mark(const std::vector<VarId>& ids, std::vector<bool>* set) {
  for (const VarId id : ids) (*set)[static_cast<std::size_t>(id)] = true;
}

// Results that the program names cost nothing where nobody fetches them.
void leave_out_results(Block* block, const std::vector<bool>& kept) {
  const auto is_left = [&](VarId id) { return !kept[static_cast<std::size_t>(id)]; };
  block->results.erase(std::remove_if(block->results.begin(), block->results.end(), is_left),
                       block->results.end());
}

}  // namespace

void check_fetches(const Block& block, const std::vector<std::string>& fetches) {
  for (const std::string& name : fetches) {
    if (block.find(name) != program::kNoVar) continue;
    std::vector<std::string> names;
    for (const program::VarDesc& var : block.vars) names.push_back(var.name);
    core::raise(ErrorCode::kInvalidArgument,
                "[executor] the program has no variable '{}' to fetch{}", name,
                core::suggest(name, names));
  }
}

void rewrite(program::ProgramImpl* program, const std::vector<std::string>& fetches,
             const std::vector<std::string>& disabled, const std::shared_ptr<KnownKernels>& kernels,
             const std::string& last, passes::SizeNotes* sizes) {
  Block& block = program->main();
  passes::PassContext context;
  context.kept.resize(block.vars.size());
  std::vector<VarId> fetched;
  for (const std::string& name : fetches) fetched.push_back(block.find(name));
  mark(fetched, &context.kept);
  leave_out_results(&block, context.kept);
  context.evaluate = constant_evaluator(kernels->preferred());
  context.has_kernel = [kernels](std::string_view type, DType dtype, const std::string& guard) {
    return kernels->has(type, dtype, guard);
  };
  context.is_host = [kernels](const std::string& guard) { return kernels->is_host(guard); };
  context.sizes = sizes;
  passes::run_passes(block, context, disabled, last);
}

Specialized specialize(const PlanRequest& request) {
  check_feeds(request.program->main(), request.feeds);
  check_fetches(request.program->main(), request.fetches);
  check_context(request.program->main());
  std::set<std::string> checked{""};
  check_guards(request.program->main(), request.device->place(), &checked);
  const bool is_rewritten = request.options.optimization != Optimization::kNone;
  const bool is_kept = is_rewritten && request.rewritten != nullptr && has_sizes(request);
  if (is_kept) {
    auto [kept, types] = request.rewritten->find(*request.program, request.feeds, request.fetches);
    if (kept != nullptr) return {kept->program, true, kept, std::move(types)};
  }
  auto made = std::make_shared<RewrittenProgram>();
  made->uid = request.program->uid();
  made->version = request.program->version();
  made->feeds = request.feeds;
  made->fetches = request.fetches;
  made->kernels = std::make_shared<KnownKernels>(request.device->place());
  const auto program = copy_for(request);
  if (is_rewritten) {
    rewrite(program.get(), request.fetches, disabled_passes(request.options), made->kernels,
            /*last=*/{}, is_kept ? &made->sizes : nullptr);
  }
  made->program = program;
  if (!made->sizes.is_complete()) return {program, false};
  request.rewritten->add(made);
  return {program, false, made};
}

}  // namespace loci::planning
