#include "tools/conformance/verify/profile/reporter_checks.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/process_state.h"
#include "tools/conformance/verify/profile/open_reporter.h"
#include "tools/conformance/verify/profile/profile_sample.h"

namespace loci::verify {
namespace {

bool is_reporter_word(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), allowed);
}

void check_def(const loci_reporter_def& def) {
  const std::string_view name = view(def.name);
  if (def.struct_size < sizeof def) {
    fail("reporter '{}' states a struct_size of {} bytes; loci_reporter_def has {}", name,
         def.struct_size, sizeof def);
  }
  if (!is_reporter_word(name)) fail("the reporter's name '{}' is no word in lower case", name);
  if (view(def.description).empty()) fail("{} has no description", name);
  if (def.level < LOCI_PROFILE_LEVEL_OP || def.level > LOCI_PROFILE_LEVEL_DETAIL) {
    fail("{} asks for the level {}, which there is not", name, def.level);
  }
  if (def.create == nullptr || def.destroy == nullptr) fail("{} lacks create or destroy", name);
  if ((def.range_begin == nullptr) != (def.range_end == nullptr)) {
    fail("{} has one of range_begin and range_end", name);
  }
  if (def.report == nullptr && def.range_begin == nullptr) {
    fail("{} has neither report nor live ranges", name);
  }
  if (def.form_count > 0 && def.forms == nullptr) {
    fail("{} has {} forms at NULL", name, def.form_count);
  }
  if (view(def.default_output).find('/') != std::string_view::npos) {
    fail("{} wants to write to '{}'; a default output is a file name", name,
         view(def.default_output));
  }
}

void check_list(const Target& target) {
  Instance instance(target);
  std::set<std::string_view> names;
  for (const loci_reporter_def& def : reporters_of(instance)) {
    check_def(def);
    if (!names.insert(view(def.name)).second) fail("two reporters are called {}", view(def.name));
  }
  std::uint64_t first = 0;
  std::uint64_t again = 0;
  const loci_profile_reporter_api& api = instance.reporter_api();
  if (api.defs(instance.handle(), &first) != api.defs(instance.handle(), &again) ||
      first != again) {
    fail("defs gave another list at the second call; it is STATIC");
  }
}

// The options of each form, or none.
std::vector<OpenReporter::Options> forms_of(const loci_reporter_def& def) {
  std::vector<OpenReporter::Options> forms{{}};
  for (std::uint64_t i = 0; i < def.form_count; ++i) {
    forms.push_back({{"form", std::string(view(def.forms[i]))}});
  }
  return forms;
}

// Calls body(def, options) for each reporter that makes reports, in each form, with and without the
// section on quality; what goes wrong there is told with the reporter's name.
template <class Body>
void for_each_report(Instance& instance, Body body) {
  for (const loci_reporter_def& def : reporters_of(instance)) {
    if (def.report == nullptr) continue;
    for (OpenReporter::Options options : forms_of(def)) {
      for (const char* quality : {"on", "off"}) {
        options.emplace_back("quality", quality);
        try {
          body(def, options);
        } catch (const CheckSkipped&) {
          throw;
        } catch (const std::exception& error) {
          fail("{} ({}={}): {}", view(def.name), options.front().first, options.front().second,
               error.what());
        }
        options.pop_back();
      }
    }
  }
  instance.destroy();
  expect_nothing_held(instance, "after reports and destroy");
}

void check_sample(const Target& target, SampleNames names) {
  const SampleProfile sample(names);
  Instance instance(target);
  for_each_report(instance,
                  [&](const loci_reporter_def& def, const OpenReporter::Options& options) {
                    OpenReporter(instance, def, options).report(sample.get());
                  });
}

void check_empty(const Target& target) { check_sample(target, SampleNames::kNone); }
void check_small(const Target& target) { check_sample(target, SampleNames::kPlain); }
void check_odd(const Target& target) { check_sample(target, SampleNames::kOdd); }

// One reporter and two give the same report, so nothing of it depends on time, addresses or order.
void check_same(const Target& target) {
  for (const SampleNames names : {SampleNames::kPlain, SampleNames::kOdd}) {
    const SampleProfile sample(names);
    const SampleProfile twin(names);
    Instance instance(target);
    for_each_report(instance,
                    [&](const loci_reporter_def& def, const OpenReporter::Options& options) {
                      OpenReporter reporter(instance, def, options);
                      const std::string first = reporter.report(sample.get()).text;
                      if (reporter.report(sample.get()).text != first) {
                        fail("the report differs when it is made a second time");
                      }
                      if (OpenReporter(instance, def, options).report(twin.get()).text != first) {
                        fail("the report of an equal profile differs");
                      }
                    });
  }
}

template <class Call>
void expect_refusal(const std::string& what, Call&& call) {
  try {
    call();
  } catch (const PluginError& error) {
    // call_checked() puts "<function> failed with <code>: " before it.
    const std::string text = error.what();
    if (text.size() < 2 || text.compare(text.size() - 2, 2, ": ") == 0) {
      fail("{} is refused without a text; say what was wrong, with the values", what);
    }
    return;
  }
  fail("{} is accepted, and has to be refused", what);
}

void expect_refused(Instance& instance, const loci_reporter_def& def,
                    const OpenReporter::Options& options) {
  const auto& [key, value] = options.back();
  expect_refusal(fmt::format("{}'s option {}={}", view(def.name), key, value),
                 [&] { const OpenReporter reporter(instance, def, options); });
}

void check_options(const Target& target) {
  Instance instance(target);
  for (const loci_reporter_def& def : reporters_of(instance)) {
    expect_refused(instance, def, {{"no-such-option", "1"}});
    expect_refused(instance, def, {{"quality", "on"}, {"", "1"}});
    expect_refused(instance, def, {{"form", "no-such-form"}});
    // Without a report it has no meaning.
    if (def.report != nullptr) expect_refused(instance, def, {{"quality", "maybe"}});
  }
  instance.destroy();
  expect_nothing_held(instance, "after refused options and destroy");
}

// The first, the last and one between.
void check_output_error(const Target& target) {
  const SampleProfile sample(SampleNames::kPlain);
  Instance instance(target);
  for_each_report(
      instance, [&](const loci_reporter_def& def, const OpenReporter::Options& options) {
        OpenReporter reporter(instance, def, options);
        const std::uint64_t writes = reporter.report(sample.get()).writes;
        if (writes == 0) return;
        for (const std::uint64_t failing : {std::uint64_t{1}, (writes + 1) / 2, writes}) {
          expect_refusal(fmt::format("the failure of write {} of {}", failing, writes),
                         [&] { reporter.report(sample.get(), failing); });
        }
        if (reporter.report(sample.get()).writes != writes) {
          fail("the report behind one that could not be written differs");
        }
      });
}

// A leak grows with each report.
void check_reporter_heap(const Target& target) {
  // The few freed pieces of a size that the allocator still counts as in use serve a leak first.
  static constexpr int kWarmUp = 10;
  static constexpr int kRounds = 16;
  const SampleProfile sample(SampleNames::kPlain);
  Instance instance(target);
  if (heap_bytes() == 0) skip("this process's allocator does not count");
  const std::vector<loci_reporter_def> defs = reporters_of(instance);
  for (const loci_reporter_def& def : defs) {
    const auto round = [&] {
      OpenReporter reporter(instance, def);
      if (def.report != nullptr) reporter.report(sample.get());
    };
    for (int i = 0; i < kWarmUp; ++i) round();
    const std::size_t first = heap_bytes();
    std::size_t last = first;
    bool grows = true;
    for (int i = 0; i < kRounds && grows; ++i) {
      round();
      grows = heap_bytes() > last;
      last = heap_bytes();
    }
    if (grows) {
      fail("each life of {} leaves memory of the C heap behind, {} bytes in {} lives",
           view(def.name), last - first, kRounds);
    }
  }
}

// On several threads at once, nested, some left open at the end.
void check_live_ranges(const Target& target) {
  static constexpr int kRanges = 10'000;
  static constexpr std::chrono::microseconds kMostEach{20};
  const SampleProfile sample(SampleNames::kPlain);
  const SampleProfile odd(SampleNames::kOdd);
  Instance instance(target);
  bool has_ranges = false;
  for (const loci_reporter_def& def : reporters_of(instance)) {
    if (def.range_begin == nullptr) continue;
    has_ranges = true;
    OpenReporter reporter(instance, def);
    const auto nest = [&](const SampleProfile& names) {
      const loci_profile& profile = names.get();
      for (std::uint64_t i = 0; i < profile.label_count; ++i)
        reporter.range_begin(profile.labels[i]);
      for (std::uint64_t i = 0; i < profile.label_count; ++i) reporter.range_end();
    };
    std::thread other([&] { nest(odd); });
    nest(sample);
    other.join();
    const std::int64_t held = instance.host().holdings().allocations;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kRanges; ++i) {
      reporter.range_begin(sample.get().labels[0]);
      reporter.range_end();
    }
    const auto each = (std::chrono::steady_clock::now() - begin) / kRanges;
    if (each > kMostEach) {
      fail("a live range of {} takes {} ns; it runs on the thread that is being measured",
           view(def.name), std::chrono::nanoseconds(each).count());
    }
    if (instance.host().holdings().allocations != held) {
      fail("a live range of {} takes memory of the host table; it must not call back",
           view(def.name));
    }
    reporter.range_begin(sample.get().labels[0]);
    if (def.report != nullptr) reporter.report(sample.get());
  }
  if (!has_ranges) skip("its reporters have no live ranges");
}

}  // namespace

std::vector<Check> reporter_checks(const Target& target) {
  return {
      on_target("profile/reporter_list", target, check_list),
      on_target("profile/reporter_empty", target, check_empty),
      on_target("profile/reporter_small", target, check_small),
      on_target("profile/reporter_odd_names", target, check_odd),
      on_target("profile/reporter_options", target, check_options),
      on_target("profile/reporter_same", target, check_same),
      on_target("profile/reporter_output_error", target, check_output_error),
      on_target("profile/reporter_heap", target, check_reporter_heap),
      on_target("profile/reporter_live_ranges", target, check_live_ranges),
  };
}

}  // namespace loci::verify
