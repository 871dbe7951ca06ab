// Reporters, from C++. A whole one:
//
//   class Lines {
//    public:
//     Lines(const Host& host, const ReporterOptions& options) { options.expect({"quality"}); }
//     void report(const loci_profile& profile, ReportOutput& output) {
//       for (const loci_profile_node& node : nodes_of(profile)) {
//         output.write(to_view(profile.labels[node.label].name));
//         output.write("\n");
//       }
//     }
//   };
//
//   reporters_.add<MyPlugin, Lines>({"lines", "one line for each node"});  // a ReporterList
//
// The manifest has "reporter" among its kinds, the plugin's reporters() gives its list, and
// reporter_table<P>() is the table of LOCI_PROFILE_REPORTER_INTERFACE. A class that also has
// range_begin(const loci_profile_label&) and range_end() gets live ranges.
#pragma once

#include <loci/abi/profile_reporter.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <loci/plugin/error.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace loci::sdk {

// An array of a profile.
template <class T>
class ProfileArray {
 public:
  ProfileArray(const T* data, std::uint64_t count) : data_(data), count_(count) {}

  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + count_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  const T* data_;
  std::uint64_t count_;
};

inline ProfileArray<loci_profile_label> labels_of(const loci_profile& profile) {
  return {profile.labels, profile.label_count};
}
inline ProfileArray<loci_profile_thread> threads_of(const loci_profile& profile) {
  return {profile.threads, profile.thread_count};
}
inline ProfileArray<loci_profile_device> devices_of(const loci_profile& profile) {
  return {profile.devices, profile.device_count};
}
inline ProfileArray<loci_profile_memory_level> levels_of(const loci_profile_device& device) {
  return {device.levels, device.level_count};
}
// Returns the rate that calls that move that many bytes can be compared with, bytes per second; by
// the device's own description where nothing was measured; 0 if neither is known.
inline double peak_bytes_of(const loci_profile_device& device, double call_bytes) {
  if (device.level_count == 0) {
    return device.measured_bytes > 0 ? device.measured_bytes : device.described_bytes;
  }
  double peak = device.levels[0].bytes;
  for (const loci_profile_memory_level& level : levels_of(device)) {
    if (static_cast<double>(level.call_bytes) <= call_bytes) peak = level.bytes;
  }
  return peak;
}
inline ProfileArray<loci_profile_step> steps_of(const loci_profile& profile) {
  return {profile.steps, profile.step_count};
}
inline ProfileArray<loci_profile_span> spans_of(const loci_profile& profile) {
  return {profile.spans, profile.span_count};
}
inline ProfileArray<loci_profile_device_span> device_spans_of(const loci_profile& profile) {
  return {profile.device_spans, profile.device_span_count};
}
// The merged call tree.
inline ProfileArray<loci_profile_node> nodes_of(const loci_profile& profile) {
  return {profile.nodes, profile.node_count};
}
// The call trees of the threads.
inline ProfileArray<loci_profile_node> thread_nodes_of(const loci_profile& profile) {
  return {profile.thread_nodes, profile.thread_node_count};
}
inline ProfileArray<loci_profile_copy> copies_of(const loci_profile& profile) {
  return {profile.copies, profile.copy_count};
}
inline ProfileArray<loci_profile_memory_event> memory_events_of(const loci_profile& profile) {
  return {profile.memory_events, profile.memory_event_count};
}
inline ProfileArray<loci_profile_tensor> tensors_of(const loci_profile& profile) {
  return {profile.tensors, profile.tensor_count};
}
inline ProfileArray<loci_profile_gap> gaps_of(const loci_profile& profile) {
  return {profile.gaps, profile.gap_count};
}
inline ProfileArray<loci_profile_drop> drops_of(const loci_profile_quality& quality) {
  return {quality.drops, quality.drop_count};
}
inline ProfileArray<loci_str> notes_of(const loci_profile_quality& quality) {
  return {quality.notes, quality.note_count};
}

// The options that the user gave a report: "form", "quality" and the reporter's own ones.
class ReporterOptions {
 public:
  ReporterOptions(std::string_view reporter, const loci_kv* options, std::uint64_t count)
      : reporter_(reporter) {
    for (std::uint64_t i = 0; i < count; ++i) {
      values_.emplace(to_view(options[i].key), to_view(options[i].value));
    }
  }

  // Throws Error(LOCI_CODE_INVALID_ARGUMENT) for an option that is not among these.
  void expect(std::initializer_list<std::string_view> known) const {
    for (const auto& entry : values_) {
      bool found = false;
      std::string names;
      for (const std::string_view name : known) {
        found = found || name == entry.first;
        names.append(names.empty() ? "" : ", ").append(name);
      }
      if (!found) fail("has no option '" + entry.first + "'; there are: " + names);
    }
  }
  // The value, `fallback` if it is not given. Throws for one that is not among the choices.
  [[nodiscard]] std::string choice(std::string_view key,
                                   std::initializer_list<std::string_view> choices) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return std::string(*choices.begin());
    std::string names;
    for (const std::string_view one : choices) {
      if (one == found->second) return found->second;
      names.append(names.empty() ? "" : ", ").append(one);
    }
    fail("takes for '" + std::string(key) + "' one of " + names + ", not '" + found->second + "'");
  }
  // Empty if it is not given.
  [[nodiscard]] std::string text(std::string_view key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::string() : found->second;
  }
  // Returns true if the report ends with its section on data quality.
  [[nodiscard]] bool shows_quality() const { return choice("quality", {"on", "off"}) == "on"; }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(LOCI_CODE_INVALID_ARGUMENT,
                std::string("[reporter] ").append(reporter_).append(" ").append(message));
  }

  std::string reporter_;
  Options values_;
};

// Where a report goes.
class ReportOutput {
 public:
  ReportOutput(const loci_host_api& host, const loci_report_output& output)
      : host_(host), output_(output) {}

  [[nodiscard]] bool is_terminal() const { return output_.is_terminal != 0; }
  // Throws Error with the host's reason. Buffers of some KiB are best.
  void write(std::string_view text) {
    check(host_, output_.write(output_.context, text.data(), text.size()));
  }

 private:
  const loci_host_api& host_;
  const loci_report_output& output_;
};

// The description that a reporter gives of itself. All texts are STATIC.
struct ReporterInfo {
  std::string_view name;
  std::string_view description;
  std::string_view default_output = {};  // a file name; empty: standard output
  std::uint32_t level = LOCI_PROFILE_LEVEL_OP;
  std::vector<std::string_view> forms = {};
  std::uint32_t wants = 0;  // LOCI_REPORTER_WANTS_*
};

namespace detail {

template <class R, class = void>
struct HasReport : std::false_type {};
template <class R>
struct HasReport<R, std::void_t<decltype(&R::report)>> : std::true_type {};
template <class R, class = void>
struct HasRanges : std::false_type {};
template <class R>
struct HasRanges<R, std::void_t<decltype(&R::range_begin), decltype(&R::range_end)>>
    : std::true_type {};

// The object that a loci_reporter* points to.
template <class R>
struct ReporterBox {
  ReporterBox(const Host& of, const ReporterOptions& options) : host(of), reporter(of, options) {}
  static ReporterBox& from(loci_reporter* reporter) {
    return *reinterpret_cast<ReporterBox*>(reporter);
  }

  const Host& host;
  R reporter;
};

template <class R>
void destroy_reporter(loci_reporter* reporter) noexcept {
  delete &ReporterBox<R>::from(reporter);
}

template <class R>
loci_error* report(loci_reporter* reporter, const loci_profile* profile,
                   const loci_report_output* output) noexcept {
  auto& box = ReporterBox<R>::from(reporter);
  return guard(box.host.api(), [&] {
    ReportOutput out(box.host.api(), *output);
    box.reporter.report(*profile, out);
  });
}

template <class R>
void range_begin(loci_reporter* reporter, const loci_profile_label* label) noexcept {
  ReporterBox<R>::from(reporter).reporter.range_begin(*label);
}

template <class R>
void range_end(loci_reporter* reporter) noexcept {
  ReporterBox<R>::from(reporter).reporter.range_end();
}

}  // namespace detail

// The reporters of a plugin. The table points into it.
class ReporterList {
 public:
  ReporterList() = default;
  ReporterList(const ReporterList&) = delete;
  ReporterList& operator=(const ReporterList&) = delete;

  // R is made as R(const Host&, const ReporterOptions&), which throws for options it cannot take.
  template <class P, class R>
  ReporterList& add(const ReporterInfo& info) {
    std::vector<loci_str>& forms = forms_.emplace_back();
    for (const std::string_view form : info.forms) forms.push_back(to_abi(form));
    loci_reporter_def def{};
    def.struct_size = sizeof def;
    def.level = info.level;
    def.name = to_abi(info.name);
    def.description = to_abi(info.description);
    def.default_output = to_abi(info.default_output);
    def.forms = forms.data();
    def.form_count = forms.size();
    def.wants = info.wants;
    def.create = &create<P, R>;
    def.destroy = &detail::destroy_reporter<R>;
    if constexpr (detail::HasReport<R>::value) def.report = &detail::report<R>;
    if constexpr (detail::HasRanges<R>::value) {
      def.range_begin = &detail::range_begin<R>;
      def.range_end = &detail::range_end<R>;
    }
    defs_.push_back(def);
    return *this;
  }
  [[nodiscard]] const std::vector<loci_reporter_def>& defs() const { return defs_; }

 private:
  template <class P, class R>
  static loci_error* create(loci_plugin* plugin, const loci_kv* options, std::uint64_t option_count,
                            loci_reporter** out_reporter) noexcept {
    const Host& host = host_of<P>(plugin);
    return guard(host.api(), [&] {
      const ReporterOptions values(P::kId, options, option_count);
      *out_reporter = reinterpret_cast<loci_reporter*>(new detail::ReporterBox<R>(host, values));
    });
  }

  std::vector<loci_reporter_def> defs_;
  std::deque<std::vector<loci_str>> forms_;  // whose addresses stay
};

namespace detail {

template <class P>
const loci_reporter_def* reporter_defs(loci_plugin* plugin, std::uint64_t* out_count) noexcept {
  const std::vector<loci_reporter_def>& defs = plugin_of<P>(plugin).reporters().defs();
  *out_count = defs.size();
  return defs.data();
}

}  // namespace detail

// The table of LOCI_PROFILE_REPORTER_INTERFACE for a plugin P with `const ReporterList&
// reporters()`.
template <class P>
const loci_profile_reporter_api* reporter_table() noexcept {
  static constexpr loci_profile_reporter_api kTable = {
      sizeof(loci_profile_reporter_api), LOCI_PROFILE_REPORTER_MINOR, &detail::reporter_defs<P>};
  return &kTable;
}

}  // namespace loci::sdk
