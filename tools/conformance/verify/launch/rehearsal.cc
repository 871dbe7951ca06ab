#include "tools/conformance/verify/launch/rehearsal.h"

#include <fmt/format.h>

#include "tools/conformance/verify/launch/overlap.h"

namespace loci::verify {
namespace {

class Rehearsal {
 public:
  Rehearsal(const Rehearsed& rehearsed, const LaunchPlace& place, const loci_launch& launch)
      : subject_(rehearsed),
        one_(place, launch, rehearsed.counts, /*turns=*/false),
        place_(place),
        launch_(launch) {}

  std::string run_aliases(std::vector<loci_alias>* tried) {
    if (!repeats()) return {};
    const std::string wrong = try_aliases(tried);
    return one_.is_lost() ? "" : wrong;
  }

  std::string run() {
    if (!repeats()) return {};
    std::string wrong = try_bounds();
    if (wrong.empty()) wrong = try_other_shape();
    if (wrong.empty()) wrong = try_aliases();
    // A device that is lost is no matter of the kernel.
    if (one_.is_lost()) return {};
    if (wrong.empty() && subject_.overlaps->telling < kOverlaps) {
      wrong = try_overlaps(subject_, place_, launch_);
    }
    return wrong;
  }

 private:
  // Returns true if the launch can be made, and gives the same result again.
  bool repeats() {
    if (!one_.usable()) return false;
    want_ = one_.run(subject_.kernel);
    return !want_.empty() && one_.run(subject_.kernel) == want_;
  }

  std::string try_bounds() {
    const std::optional<std::uint64_t> output = one_.overrun_output();
    if (!output) return {};
    const loci_view& view = *launch_.outputs[*output];
    return fmt::format("launch of {} writes behind the {} bytes of output {}{}", subject_.name,
                       view.bytes, *output,
                       view.layout == LOCI_LAYOUT_PLAIN ? "" : ", in the layout that it chose");
  }

  std::string try_other_shape() {
    if (subject_.other == nullptr || one_.run(*subject_.other) == want_) return {};
    return fmt::format(
        "{} says that it is shape-agnostic, and what was prepared for the shape {} computes "
        "something else than what is prepared for the shape of this launch",
        subject_.name, subject_.other_shape);
  }

  std::string try_aliases(std::vector<loci_alias>* tried = nullptr) {
    for (std::uint64_t i = 0; i < subject_.def.alias_count; ++i) {
      const loci_alias& alias = subject_.def.aliases[i];
      if (!one_.can_alias(alias)) continue;
      if (tried != nullptr) tried->push_back(alias);
      if (one_.run(subject_.kernel, &alias) == want_) continue;
      return fmt::format(
          "{} says that output {} may lie in the memory of input {}, and computes something else "
          "when it does",
          subject_.name, alias.output, alias.input);
    }
    return {};
  }

  const Rehearsed& subject_;
  LaunchCopy one_;
  const LaunchPlace& place_;
  const loci_launch& launch_;
  Contents want_;
};

}  // namespace

std::string rehearse(const Rehearsed& rehearsed, const LaunchPlace& place,
                     const loci_launch& launch) {
  if (!LaunchCopy::suits(place, launch, rehearsed.counts)) return {};
  return Rehearsal(rehearsed, place, launch).run();
}

std::string rehearse_aliases(const Rehearsed& rehearsed, const LaunchPlace& place,
                             const loci_launch& launch, std::vector<loci_alias>* tried) {
  if (!LaunchCopy::suits(place, launch, rehearsed.counts, kMostAliasBytes)) return {};
  return Rehearsal(rehearsed, place, launch).run_aliases(tried);
}

}  // namespace loci::verify
