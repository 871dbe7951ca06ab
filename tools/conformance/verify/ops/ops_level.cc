#include <algorithm>

#include "tools/conformance/verify/levels.h"
#include "tools/conformance/verify/ops/alias_checks.h"
#include "tools/conformance/verify/ops/large_cases.h"
#include "tools/conformance/verify/ops/layout_checks.h"
#include "tools/conformance/verify/ops/own_ops.h"

namespace loci::verify {
namespace {

using conformance::Case;
using conformance::Suite;

// Others would run on kernels that are not the plugin's.
bool may_bring_kernels(const plugins::Candidate& plugin) {
  return std::any_of(plugin.kinds.begin(), plugin.kinds.end(),
                     [](const std::string& kind) { return kind == "backend" || kind == "ops"; });
}

// The cases that say something about the plugin: all, but of a device that another one brings those
// of the ops that it has kernels for.
std::shared_ptr<const Suite> suite_for(const Brought& brought) {
  const Suite all = conformance::all_cases();
  if (!brought.asked || brought.has_device_table) return std::make_shared<const Suite>(all);
  return std::make_shared<const Suite>(
      all.selected([&](const Case& one) { return brought.kernel_ops.count(one.op) > 0; }));
}

bool is_small_float32(const Case& one) {
  return !one.inputs.empty() && one.inputs[0].dtype == kFloat32 && one.inputs[0].shape.numel() > 1;
}

// Cases of one op are a group: what is told of a kernel once, its first case tells.
class OpsChecks {
 public:
  OpsChecks(std::shared_ptr<OpsCore> core, std::shared_ptr<const Suite> suite)
      : core_(std::move(core)), suite_(std::move(suite)) {
    checks_.push_back({"ops/place", [core = core_] {
                         core->place();
                         return Verdict{};
                       }});
  }

  void add_suite() {
    for (const Case& subject : suite_->cases()) {
      checks_.push_back({"ops/" + subject.name(),
                         [core = core_, suite = suite_, &subject] { return core->run(subject); },
                         subject.op});
    }
  }
  void add_own(const std::vector<Case>& cases) {
    for (const Case& subject : cases) {
      checks_.push_back({"ops/" + subject.name(),
                         [core = core_, subject] { return core->run(subject); }, subject.op});
    }
  }
  void add_large() {
    for (LargeCase& large : large_cases(*suite_, kBeyondLimits)) {
      checks_.push_back(
          {"ops/large/" + large.name(), [core = core_, suite = suite_, large = std::move(large)] {
             return run_large(large, core->place());
           }});
    }
  }
  // Their launches are rehearsed: see overlap.h.
  void add_together() {
    for (LargeCase& large : large_cases(*suite_, kTakesAWhile)) {
      checks_.push_back({"ops/together/" + large.name(),
                         [core = core_, suite = suite_, large = std::move(large)] {
                           const Place& place = core->place();
                           return core->watch([&] { return run_large(large, place); });
                         }});
    }
  }
  // The first case of each op in float32, on each other device.
  void add_other_devices(const std::string& place, std::uint32_t count) {
    const Place tested(place);
    for (std::uint32_t index = 0; index < count; ++index) {
      if (static_cast<std::uint32_t>(tested.index()) == index) continue;
      const Place other(tested.type(), static_cast<int>(index));
      checks_.push_back({fmt::format("ops/other_devices/{}", other.to_string()),
                         [core = core_, suite = suite_, other] {
                           return run_first_cases(*core, *suite, other);
                         }});
    }
  }
  void add(std::vector<Check> more) {
    for (Check& check : more) checks_.push_back(std::move(check));
  }
  [[nodiscard]] std::vector<Check> take() { return std::move(checks_); }

 private:
  static Verdict run_first_cases(OpsCore& core, const Suite& suite, const Place& place) {
    core.place();
    std::set<std::string> done;
    for (const Case& subject : suite.cases()) {
      const bool is_first = is_small_float32(subject) && done.insert(subject.op).second;
      if (!is_first) continue;
      const Verdict verdict = core.run_at(subject, place);
      if (verdict.outcome == Outcome::kFailed) {
        return {Outcome::kFailed, fmt::format("{}: {}", subject.name(), verdict.message)};
      }
    }
    return {};
  }

  std::shared_ptr<OpsCore> core_;
  std::shared_ptr<const Suite> suite_;
  std::vector<Check> checks_;
};

}  // namespace

OpsLevel ops_level(const Target& target, const OpsOptions& options, const Brought& brought,
                   const std::vector<Case>& own_cases) {
  const bool has_any = !brought.asked || brought.has_device_table || !brought.kernel_ops.empty() ||
                       !brought.ops.empty();
  if (!target.manifest.failed && (!may_bring_kernels(target.manifest) || !has_any)) {
    return {{{"ops/place", []() -> Verdict { skip("it is no backend, and has no kernels"); }}},
            nullptr};
  }
  const auto core = std::make_shared<OpsCore>(target, options, brought);
  const std::shared_ptr<const Suite> suite = suite_for(brought);
  OpsChecks checks(core, suite);
  checks.add_own(own_cases);
  checks.add(own_op_checks(brought.ops, core));
  checks.add_suite();
  checks.add(layout_checks(core, suite, brought));
  checks.add(alias_checks(core, suite, brought));
  checks.add_other_devices(options.place, brought.devices);
  checks.add_together();
  checks.add_large();
  return {checks.take(), [core] { core->probe(); }};
}

}  // namespace loci::verify
