#include "framework/program/parameters.h"

#include <cmath>
#include <utility>

#include "framework/core/raise.h"
#include "framework/program/builder.h"
#include "framework/program/transaction.h"

namespace loci {
namespace program {
namespace {

VarDesc describe(const PersistableSpec& spec) {
  if (!spec.shape.is_static()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[program] '{}' is persistable, so every extent of its shape {} must be known",
                spec.name, spec.shape.to_string());
  }
  VarDesc desc;
  desc.name = spec.name;
  desc.type = {spec.dtype, spec.shape};
  desc.persistable = true;
  desc.trainable = spec.trainable;
  desc.stop_gradient = !spec.trainable;
  desc.guard = spec.guard.value_or(current_guard());
  return desc;
}

OperatorSpec initialisation(const PersistableSpec& spec, VarId target) {
  OperatorSpec result;
  result.type = spec.init.op;
  result.attributes = spec.init.attributes;
  result.attributes["shape"] = spec.shape.dims();
  result.attributes["dtype"] = spec.dtype;
  result.guard = spec.guard.value_or(current_guard());
  result.role = Role::kInitialize;
  result.existing_outputs = {target};
  return result;
}

Variable add_to_default_programs(const char* prefix, PersistableSpec spec) {
  const Program main = default_main_program();
  const Program startup = default_startup_program();
  if (spec.name.empty()) spec.name = main.impl()->unique_name(prefix);
  return add_persistable(main.impl(), *startup.impl(), spec);
}

}  // namespace

Variable add_persistable(const std::shared_ptr<ProgramImpl>& main, ProgramImpl& startup,
                         const PersistableSpec& spec) {
  const VarDesc desc = describe(spec);
  Transaction in_main(*main);
  Transaction in_startup(startup);
  const VarId id = main->main().add_var(desc);
  append_operator(startup, initialisation(spec, startup.main().add_var(desc)));
  main->reserve_name(spec.name);
  startup.reserve_name(spec.name);
  main->touch();
  in_main.commit();
  in_startup.commit();
  return {main, id};
}

}  // namespace program

inline namespace v0 {

namespace initializer {

Initializer constant(double value) { return {"fill_constant", {{"value", value}}}; }

Initializer uniform(double low, double high) {
  return {"uniform_random", {{"low", low}, {"high", high}}};
}

Initializer normal(double mean, double deviation) {
  return {"gaussian_random", {{"mean", mean}, {"deviation", deviation}}};
}

Initializer xavier(const Shape& shape) {
  if (shape.rank() < 2 || shape.numel() == 0) {
    core::raise(ErrorCode::kInvalidArgument,
                "[xavier] shape {} has no fan-in and fan-out; give at least two extents, none of "
                "them 0, or use another initializer",
                shape.to_string());
  }
  double window = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) window *= static_cast<double>(shape[axis]);
  // Symmetric in the first two extents, so it does not matter which of them is the input's.
  const double fans = window * static_cast<double>(shape[0] + shape[1]);
  const double bound = std::sqrt(6.0 / fans);
  return uniform(-bound, bound);
}

}  // namespace initializer

Variable create_parameter(const Shape& shape, DType dtype, const Initializer& init,
                          const std::string& name) {
  return program::add_to_default_programs("parameter", {name, shape, dtype, init, true});
}

Variable create_persistable(const Shape& shape, DType dtype, const Initializer& init,
                            const std::string& name) {
  return program::add_to_default_programs("persistable", {name, shape, dtype, init, false});
}

}  // namespace v0
}  // namespace loci
