#include "framework/execution/stage_scopes.h"

#include "framework/execution/continuation.h"
#include "framework/execution/profile_script.h"
#include "framework/profiler/label_table.h"
#include "framework/profiler/parts.h"
#include "framework/program/control_flow.h"

namespace loci::execution {
namespace {

// The next stage says what kernel it has, and the like. A branch that is taken shows as what it is.
profiler::LabelId label_of_operator(const program::Operator& op) {
  return profiler::LabelTable::instance().intern(
      {.kind = LOCI_SPAN_OP,
       .name = program::is_branching(op) ? "conditional_block" : op.type(),
       .instance = op.name});
}

const ProfileScript& script_of(const Plan& plan) {
  const bool detail = profiler::records_at(profiler::Level::kDetail);
  return plan.profile_script(detail ? profiler::Level::kDetail : profiler::Level::kOp);
}

}  // namespace

profiler::LabelId reader_label(const Plan& plan, std::string_view consumer) {
  if (consumer == "fetch") return label_of(profiler::Part::kFetch);
  if (plan.rest != nullptr) {
    for (const program::Operator* op : plan.rest->end().operators) {
      if (op->name == consumer) return label_of_operator(*op);
    }
  }
  return label_of(profiler::Part::kPrepareData);
}

void StageScopes::enter_reader(const Plan& plan, std::size_t read) {
  if (!profiler::records_at(profiler::Level::kOp)) return;
  const ProfileScript::Reader& reader = script_of(plan).readers[read];
  enter(reader.name, reader.label);
}

void StageScopes::enter_next(const Plan& plan) {
  if (!profiler::records_at(profiler::Level::kOp)) return;
  const ProfileScript::Reader& next = script_of(plan).next;
  enter(next.name, next.label);
}

void StageScopes::enter(std::string_view reader, profiler::LabelId label) {
  open_.renew();
  if (!open_.is_empty() && reader_ == reader) return;
  open_.close();
  open_.push(label, 0);
  reader_ = reader;
}

bool StageScopes::continues(std::string_view first_operator) {
  open_.renew();
  if (open_.is_empty()) return false;
  if (first_operator == reader_) return true;
  close();
  return false;
}

}  // namespace loci::execution
