// The arguments that events have beside their times.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace loci::report {

// Members of a JSON object, built one by one.
class TraceArgs {
 public:
  TraceArgs() = default;
  // With what `begun` says.
  explicit TraceArgs(std::string_view begun) : members_(begun) {}

  TraceArgs& add(std::string_view name, loci_str text);  // unless it is empty
  TraceArgs& add(std::string_view name, std::string_view text);
  TraceArgs& add(std::string_view name, std::uint64_t number);
  TraceArgs& add(std::string_view name, double number);
  TraceArgs& add_true(std::string_view name);
  TraceArgs& add_word(std::string_view name, std::string_view word);  // that needs no escape
  // The members without braces, to go on with.
  [[nodiscard]] const std::string& members() const { return members_; }

 private:
  void key(std::string_view name);

  std::string members_;
};

// Returns what a viewer shows on a slice: the type of an operator, which variable a copy is of.
std::string trace_title(const loci_profile_label& label);
TraceArgs label_args(const loci_profile_label& label);
// Returns the arguments of one span, after those of its label.
TraceArgs span_args(std::string_view label_members, const loci_profile_label& label,
                    const loci_profile_span& span);
// Returns the arguments of the label of what launched device work.
TraceArgs launcher_args(const loci_profile_label& label);
// After those of its launcher.
TraceArgs device_args(std::string_view launcher_members, const loci_profile_device_span& work);

}  // namespace loci::report
