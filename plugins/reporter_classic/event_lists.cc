#include "plugins/reporter_classic/event_lists.h"

#include <fmt/format.h>

#include <loci/plugin/reporter.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "plugins/reporter_classic/copy_name.h"
#include "plugins/reporter_classic/spread_runs.h"

namespace loci::classic {
namespace {

struct Scope {
  Role role;
  std::string name;
};

bool is_operator(const loci_profile_label& label) {
  return label.kind == LOCI_SPAN_OP || label.kind == LOCI_SPAN_GRADIENT;
}

class EventListBuilder {
 public:
  EventListBuilder(const loci_profile& profile, TracerOption tracer_option)
      : profile_(profile),
        spans_(sdk::spans_of(profile)),
        names_operators_(tracer_option == TracerOption::kAllOpDetail),
        runs_(profile) {
    result_.scope_of_span.resize(spans_.size(), kNoPath);
    outer_.resize(spans_.size(), kNoPath);
  }

  EventLists build() {
    // Runs that adopted others first, whatever their thread: they are the scopes of these.
    for (std::uint32_t i = 0; i < spans_.size(); ++i) {
      if (runs_.is_spread(i)) {
        result_.scope_of_span[i] = result_.paths.intern(kNoPath, Role::kSpecial, name_of(i));
      }
    }
    for (std::size_t end = spans_.size(); end > 0;) {
      std::size_t begin = end - 1;
      while (begin > 0 && spans_[begin - 1].thread == spans_[end - 1].thread) --begin;
      add_thread(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
      end = begin;
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const loci_profile_label& label_of(std::uint32_t span) const {
    return profile_.labels[spans_[span].label];
  }
  [[nodiscard]] std::string name_of(std::uint32_t span) const {
    return std::string(sdk::to_view(label_of(span).name));
  }

  void add_thread(std::uint32_t begin, std::uint32_t end) {
    list_ = {spans_[begin].thread, {}};
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = begin; i < end; ++i) {
      while (!open.empty() && open.back() != spans_[i].parent) leave(open);
      enter(i);
      open.push_back(i);
    }
    while (!open.empty()) leave(open);
    if (!list_.events.empty()) result_.lists.push_back(std::move(list_));
  }

  void enter(std::uint32_t span) {
    if (runs_.is_spread(span)) return;
    const PathId around = scope_around(span);
    // There are less than 2^31 labels.
    const std::uint64_t key =
        std::uint64_t{around} << 32U | std::uint64_t{spans_[span].label} << 1U | waited(span);
    const auto [found, inserted] = seen_.try_emplace(key);
    if (inserted) found->second = scopes_of(span, around);
    outer_[span] = found->second.outer;
    result_.scope_of_span[span] = found->second.inner;
  }

  void leave(std::vector<std::uint32_t>& open) {
    const std::uint32_t span = open.back();
    open.pop_back();
    if ((spans_[span].flags & LOCI_SPAN_TRUNCATED) != 0) return;
    const PathId inner = result_.scope_of_span[span];
    const Event event{inner, spans_[span].end_ns - spans_[span].begin_ns,
                      spans_[span].device_ns + runs_.adopted_device_ns(span),
                      (spans_[span].flags & LOCI_SPAN_PART) != 0};
    if (runs_.is_spread(span)) list_.events.push_back(event);
    if (outer_[span] == kNoPath) return;
    if (inner != outer_[span]) list_.events.push_back(event);
    list_.events.push_back({outer_[span], event.cpu_ns, event.gpu_ns, event.is_part});
  }

  [[nodiscard]] PathId scope_around(std::uint32_t span) const {
    const std::uint32_t parent =
        spans_[span].parent == LOCI_PROFILE_NONE ? runs_.adopter_of(span) : spans_[span].parent;
    return parent == LOCI_PROFILE_NONE ? kNoPath : result_.scope_of_span[parent];
  }

  [[nodiscard]] std::uint64_t waited(std::uint32_t span) const {
    return (spans_[span].flags & LOCI_SPAN_HOST_WAITED) != 0 ? 1 : 0;
  }

  // The scope of a span, and the one within it that its children are in. Without a scope, the outer
  // one is kNoPath.
  struct Scopes {
    PathId outer = kNoPath;
    PathId inner = kNoPath;
  };
  Scopes scopes_of(std::uint32_t span, PathId around) {
    const std::optional<Scope> scope = scope_of(span);
    if (!scope) return {kNoPath, around};
    const PathId outer = result_.paths.intern(around, scope->role, scope->name);
    const loci_profile_label& label = label_of(span);
    if (!names_operators_ || !is_operator(label) || label.instance.size == 0) return {outer, outer};
    // Numbered in order of first appearance among the operators of that path.
    auto& instances = instances_[outer];
    const std::size_t next = instances.size();
    const std::size_t number =
        instances.try_emplace(sdk::to_view(label.instance), next).first->second;
    return {outer,
            result_.paths.intern(outer, Role::kUnique, fmt::format("{}{}", scope->name, number))};
  }

  [[nodiscard]] std::optional<Scope> scope_of(std::uint32_t span) const {
    switch (label_of(span).kind) {
      case LOCI_SPAN_OP:
      case LOCI_SPAN_GRADIENT:
      case LOCI_SPAN_FRAMEWORK:
      case LOCI_SPAN_USER:
      case LOCI_SPAN_WAIT: return Scope{Role::kOrdinary, name_of(span)};
      case LOCI_SPAN_PHASE: return Scope{Role::kInner, name_of(span)};
      case LOCI_SPAN_COPY: {
        std::string name = copy_name(profile_, label_of(span), waited(span) != 0);
        if (name.empty()) return std::nullopt;
        return Scope{Role::kCopy, std::move(name)};
      }
      default: return std::nullopt;
    }
  }

  const loci_profile& profile_;
  sdk::ProfileArray<loci_profile_span> spans_;
  bool names_operators_;
  SpreadRuns runs_;
  EventLists result_;
  EventList list_{};
  std::vector<PathId> outer_;  // of each span
  // The scopes, by scope around, label and whether the host waited.
  std::unordered_map<std::uint64_t, Scopes> seen_;
  std::unordered_map<PathId, std::unordered_map<std::string_view, std::size_t>> instances_;
};

}  // namespace

EventLists event_lists(const loci_profile& profile, TracerOption tracer_option) {
  return EventListBuilder(profile, tracer_option).build();
}

}  // namespace loci::classic
