#include "framework/execution/profile_script.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "framework/execution/continuation.h"
#include "framework/execution/operator_label.h"
#include "framework/execution/plan.h"
#include "framework/execution/stage_scopes.h"
#include "framework/profiler/label_table.h"
#include "framework/profiler/parts.h"

namespace loci::execution {
namespace {

using profiler::LabelId;
using profiler::Part;

constexpr std::int32_t kNoOperator = -1;

// Whose work an instruction is. A copy for an operator comes before its kernel, one that brings
// back what it changed after it.
std::vector<std::int32_t> owners(const Plan& plan) {
  const auto name_of = [&plan](std::int32_t op) -> const std::string& {
    return plan.operators[static_cast<std::size_t>(op)].op->name;
  };
  const std::size_t count = plan.instructions.size();
  std::vector<std::int32_t> result(count, kNoOperator);
  std::int32_t next = kNoOperator;
  for (std::size_t i = count; i-- > 0;) {
    const Instruction& instruction = plan.instructions[i];
    const TransferStep* copy = instruction.transfer();
    if (copy == nullptr) next = instruction.op;
    // A copy of a feed comes before all else, so that a graph's launch is in nobody's scope.
    const bool is_ahead = plan.captures != nullptr && copy != nullptr &&
                          copy->labels.reason == transfer::Reason::kFeed;
    const bool is_next = next != kNoOperator && !is_ahead &&
                         (copy == nullptr || copy->labels.consumer == name_of(next));
    if (is_next) result[i] = next;
  }
  std::int32_t last = kNoOperator;
  for (std::size_t i = 0; i < count; ++i) {
    const Instruction& instruction = plan.instructions[i];
    const TransferStep* copy = instruction.transfer();
    if (copy == nullptr) {
      last = instruction.op;
    } else if (copy->labels.reason == transfer::Reason::kWriteBack) {
      result[i] = last;
    }
  }
  return result;
}

// The instructions as they are issued.
std::vector<std::uint32_t> issued(const Plan& plan) {
  if (plan.schedule != nullptr) return plan.schedule->order;
  std::vector<std::uint32_t> order(plan.instructions.size() - plan.awaited_reads);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

std::vector<std::int32_t> in_order(const std::vector<std::int32_t>& by_instruction,
                                   const std::vector<std::uint32_t>& order) {
  std::vector<std::int32_t> result;
  for (const std::uint32_t instruction : order) result.push_back(by_instruction[instruction]);
  return result;
}

// In what follows instructions are counted as they are issued.
class ScriptWriter {
 public:
  // Writes the instructions of that order; `owners` says by instruction whose work one is.
  ScriptWriter(const Plan& plan, profiler::Level level, std::vector<std::uint32_t> order,
               const std::vector<std::int32_t>& owners)
      : plan_(plan),
        detail_(level == profiler::Level::kDetail),
        order_(std::move(order)),
        owners_(in_order(owners, order_)) {}

  ProfileScript write() {
    const std::size_t count = order_.size();
    for (std::size_t i = 0; i < count;) {
      std::size_t end = i + 1;
      while (end < count && owners_[end] == owners_[i]) ++end;
      if (owners_[i] == kNoOperator) {
        write_reads(i, end);
      } else if (kernel_in(i, end) == end) {
        write_copies(label_of(Part::kPrepareData), i, end);
      } else {
        write_operator(i, end);
      }
      i = end;
    }
    close_gradient();
    close_branches();
    note_first_operator();
    if (plan_.rest != nullptr) note_readers();
    return std::move(script_);
  }

 private:
  [[nodiscard]] const Instruction& at(std::size_t position) const {
    return plan_.instructions[order_[position]];
  }

  // The first kernel of [begin, end); end if there is none.
  [[nodiscard]] std::size_t kernel_in(std::size_t begin, std::size_t end) const {
    while (begin < end && at(begin).transfer() != nullptr) ++begin;
    return begin;
  }

  // Apart from the operators that they are for.
  void write_copies(LabelId label, std::size_t begin, std::size_t end) {
    close_gradient();
    close_branches();
    open(label, begin, /*launches=*/false);
    launch(begin, end);
    close();
  }

  // For the rest of the plan; each in the scope of who reads.
  void write_reads(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      write_copies(reader_label(plan_, at(i).transfer()->labels.consumer), i, i + 1);
    }
  }

  void note_first_operator() {
    if (script_.steps.empty() || script_.steps.front().kind != ProfileStep::Kind::kOpen) return;
    const profiler::Label label = profiler::LabelTable::instance().at(script_.steps.front().label);
    if (label.kind == LOCI_SPAN_OP) script_.first_operator = label.instance;
  }

  void note_readers() {
    const std::size_t count = plan_.instructions.size();
    for (std::size_t i = count - plan_.awaited_reads; i < count; ++i) {
      script_.readers.push_back(reader(plan_.instructions[i].transfer()->labels.consumer));
    }
    const std::vector<const program::Operator*>& operators = plan_.rest->end().operators;
    script_.next = reader(operators.empty() ? "fetch" : operators.front()->name);
  }

  [[nodiscard]] ProfileScript::Reader reader(const std::string& name) const {
    return {name, reader_label(plan_, name)};
  }

  // Instructions [begin, end) are those of one operator.
  void write_operator(std::size_t begin, std::size_t end) {
    const auto op = static_cast<std::size_t>(owners_[begin]);
    const std::size_t kernel = kernel_in(begin, end);
    enter_branches(*plan_.operators[op].op);
    enter_gradient(*plan_.operators[op].op);
    const LabelId label =
        profiler::LabelTable::instance().intern(operator_label(plan_, at(kernel)));
    if (!detail_) {
      open(label, kernel, /*launches=*/true);
      launch(begin, end);
      close();
      return;
    }
    open(label, kernel, /*launches=*/false);
    write_phases(begin, kernel);
    launch(kernel + 1, end);
    close();
  }

  void write_phases(std::size_t begin, std::size_t kernel) {
    std::size_t compute = begin;
    while (compute < kernel && prepares(at(compute))) ++compute;
    if (compute > begin) {
      open(label_of(Part::kPrepareData), begin, /*launches=*/false);
      launch(begin, compute);
      close();
    }
    open(label_of(Part::kCompute), kernel, /*launches=*/true);
    launch(compute, kernel + 1);
    close();
  }

  static bool prepares(const Instruction& instruction) {
    const TransferStep* copy = instruction.transfer();
    return copy == nullptr || copy->labels.reason != transfer::Reason::kHostRead;
  }

  // Branches that have been put in place of control flow show as what they were.
  void enter_branches(const program::Operator& op) {
    std::vector<const program::Enclosure*> path;
    const program::Enclosure* around = op.scope.empty() ? op.enclosure.get() : nullptr;
    for (; around != nullptr; around = around->outer.get()) path.insert(path.begin(), around);
    const auto [open_end, path_end] =
        std::mismatch(branches_.begin(), branches_.end(), path.begin(), path.end());
    const auto common = static_cast<std::size_t>(open_end - branches_.begin());
    if (common == branches_.size() && common == path.size()) return;
    close_gradient();
    for (std::size_t i = branches_.size(); i > common; --i) close();
    for (std::size_t i = common; i < path.size(); ++i) {
      open(profiler::LabelTable::instance().intern(
               {.kind = LOCI_SPAN_OP, .name = path[i]->type, .instance = path[i]->name}),
           0, /*launches=*/false);
    }
    branches_ = std::move(path);
  }

  void close_branches() {
    for (std::size_t i = branches_.size(); i > 0; --i) close();
    branches_.clear();
  }

  void enter_gradient(const program::Operator& op) {
    if (op.scope == gradient_ && op.origin == origin_) return;
    close_gradient();
    gradient_ = op.scope;
    origin_ = op.origin;
    if (gradient_.empty()) return;
    open(profiler::LabelTable::instance().intern({.kind = LOCI_SPAN_GRADIENT,
                                                  .name = std::string(gradient_),
                                                  .instance = std::string(origin_)}),
         0, /*launches=*/false);
  }

  void close_gradient() {
    if (!gradient_.empty()) close();
    gradient_ = {};
    origin_ = {};
  }

  void open(LabelId label, std::size_t position, bool launches) {
    script_.steps.push_back({ProfileStep::Kind::kOpen, launches, label, order_[position]});
  }
  void close() { script_.steps.push_back({ProfileStep::Kind::kClose}); }
  void launch(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      script_.steps.push_back({ProfileStep::Kind::kLaunch, false, 0, order_[i]});
    }
  }

  const Plan& plan_;
  bool detail_;
  std::vector<std::uint32_t> order_;
  std::vector<std::int32_t> owners_;
  std::string_view gradient_;  // whose scope is open
  std::string_view origin_;
  std::vector<const program::Enclosure*> branches_;  // whose scopes are open, the outermost first
  ProfileScript script_;
};

}  // namespace

ProfileScript make_profile_script(const Plan& plan, profiler::Level level) {
  return ScriptWriter(plan, level, issued(plan), owners(plan)).write();
}

std::vector<ProfileScript> make_core_scripts(const Plan& plan, profiler::Level level) {
  const std::vector<std::int32_t> owned = owners(plan);
  const CoreForks& forks = *plan.core_forks;
  std::vector<ProfileScript> scripts;
  const auto add = [&](std::vector<std::uint32_t> order) {
    scripts.push_back(ScriptWriter(plan, level, std::move(order), owned).write());
  };
  for (const CoreRegion& region : forks.regions) {
    if (region.tracks.empty()) {
      std::vector<std::uint32_t> all(region.last - region.first);
      std::iota(all.begin(), all.end(), region.first);
      add(std::move(all));
    }
    for (const std::vector<CoreSegment>& track : region.tracks) {
      for (const CoreSegment& segment : track) {
        add({forks.order.begin() + segment.first, forks.order.begin() + segment.last});
      }
    }
  }
  return scripts;
}

}  // namespace loci::execution
