// Plugins that break one rule each (../faulty_plugin): verify finds it and says so.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <string>

#include "tests/support/paths.h"
#include "tests/tools/conformance/verify/planted_faults.h"
#include "tools/conformance/verify/process_state.h"
#include "tools/conformance/verify/verify.h"
#include "tools/conformance/verify/verify_report.h"

namespace loci::verify {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kCases = "ops/(place|[a-z_]*/(assign|scale|elementwise_add)/float32/)";

Report verify_plugin(const std::string& fault, const std::string& level,
                     const std::string& filter = "") {
  Options options;
  options.file = test::build_path("lib/loci/faulty_plugins/loci-" + fault + ".so");
  options.levels = {level};
  options.filter = filter;
  options.patience = std::chrono::seconds(fault.find("hang") == std::string::npos ? 600 : 2);
  return verify(options);
}

struct Planted {
  const char* fault;
  const char* check;    // that finds it
  const char* message;  // a part of what it says

  // A sanitizer that finds a fault before the trap does says so itself.
  [[nodiscard]] const char* sanitizers_message() const {
    return std::string(fault) == "launch_reads_op" ? "heap-use-after-free" : message;
  }
};

// The check itself, or of the conformance suite those that are quick.
std::string filter_for(const std::string& check) {
  for (const std::string group :
       {"ops/aliases", "ops/large", "ops/together", "ops/other_devices", "ops/layouts"}) {
    if (check.rfind(group, 0) == 0) return "^ops/place$|^" + check;
  }
  return check.rfind("ops/", 0) == 0 ? kCases : "^" + check + "$";
}

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.fault; }

bool is_found_by_heap(const std::string& fault) {
  for (const char* found :
       {"leak_heap", "leak_report", "leak_failed_work", "leak_record", "leak_errors_of_query",
        "leak_refused_copy", "leak_little_of_failed_copy"}) {
    if (fault == found) return true;
  }
  return false;
}

class FaultyPlugin : public ::testing::TestWithParam<Planted> {};

TEST_P(FaultyPlugin, IsFoundAndNamed) {
  const Planted& planted = GetParam();
  const bool is_sanitized = heap_bytes() == 0;
  const std::string fault = planted.fault;
  if (is_sanitized && is_found_by_heap(fault)) {
    GTEST_SKIP() << "the sanitizer's allocator does not count";
  }
  const std::string check = planted.check;
  const std::string level = check.substr(0, check.find('/'));
  const Report report = verify_plugin(planted.fault, level, filter_for(check));
  for (const Result& failure : report.failures()) {
    if (failure.check.rfind(check, 0) == 0) {
      EXPECT_THAT(failure.message,
                  HasSubstr(is_sanitized ? planted.sanitizers_message() : planted.message));
      return;
    }
  }
  FAIL() << check << " did not find it:\n" << to_text(report);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, FaultyPlugin,
    ::testing::ValuesIn(planted_faults<Planted>(
        {Planted{
             "extra_symbol", "abi/exported_symbols",
             "loci_plugin_query_v1: loci_test_extra_a, loci_test_extra_b, loci_test_extra_c and "
             "2 more; link with"},
         Planted{"small_table", "abi/device_table", "struct_size of 64 bytes"},
         Planted{"missing_function", "abi/device_table", "lacks stream_query"},
         Planted{"wrong_priorities", "abi/device_description", "priorities from 1 (greatest) to 0"},
         Planted{"small_alignment", "abi/device_description", "an alignment of 16"},
         Planted{"any_interface", "abi/interfaces", "a table for the unknown name"},
         Planted{"thread_at_load", "abi/loading",
                 "where the library is loaded there is 1 thread more; its static constructors"},
         Planted{"other_id", "abi/descriptor", "org.loci.test.stranger"},
         Planted{"changing_descriptor", "abi/query_is_pure", "changes from call to call"},
         Planted{"throws", "mem/alignment", "mem_alloc let an exception cross the ABI: out of"},
         Planted{"crash_in_close", "life/open_twice", " in close"},
         Planted{"count_grows", "life/open_twice",
                 "count gave 1 before each device was opened twice, and 3 afterwards"},
         Planted{"leak_host_memory", "life/left_behind", "1 allocations of the host table"},
         Planted{"leak_heap", "life/heap", "memory of the C heap"},
         Planted{"leak_record", "life/heap_of_calls",
                 "each event_record leaves memory of the C heap behind"},
         Planted{"leak_errors_of_query", "life/heap_of_calls",
                 "errors of stream_query are neither returned nor released"},
         Planted{"leak_error", "life/create_twice", "neither returned nor released"},
         Planted{"leak_thread", "life/left_behind", "3 threads"},
         Planted{"leak_device_memory", "life/device_memory", "bytes less"},
         Planted{"leaves_process", "life/left_behind", "4 child processes"},
         Planted{"has_fewer_allocations", "mem/most_allocations",
                 "has 16 allocations at a time, as it states, and refuses number 9"},
         Planted{"has_more_allocations", "mem/most_allocations",
                 "an allocation beyond the number that the device states has to be refused"},
         Planted{"misaligned", "mem/alignment", "no multiple of 64"},
         Planted{"short_copy", "mem/copies", "a copy to the device of 1 bytes"},
         Planted{"ignores_pitch", "mem/pitched_copies", "pitches 7 and 11"},
         Planted{"short_fill", "mem/fill", "times 8 bytes"},
         Planted{"wrong_code", "mem/out_of_memory", "has to be OUT_OF_MEMORY"},
         Planted{"bad_second_device", "mem/other_devices", "device 1: a fill of"},
         Planted{"second_device_hangs", "mem/other_devices",
                 "did not end within 2 s in open of device 1"},
         Planted{"bad_second_device", "ops/other_devices/rules:1", "got "},
         Planted{"hides_one_queue", "order/independent_streams",
                 "or the device says LOCI_DEVICE_ONE_QUEUE"},
         Planted{"claims_one_queue", "order/one_queue",
                 "comes before what another one was given earlier"},
         Planted{"early_event", "order/event_query", "the work before it is not"},
         Planted{"early_host_function", "order/host_function", "before the work of its stream"},
         Planted{"host_function_twice", "order/host_function", "was called 2 times"},
         Planted{"late_wait", "order/wait_keeps_its_record", "the record that was latest"},
         Planted{"late_wait", "order/wait_ignores_later_record", "waits for a later one"},
         Planted{"no_wait", "order/wait", "work behind stream_wait_event"},
         Planted{"no_wait", "order/random_sequences", "random steps"},
         Planted{"copy_ignores_stream", "order/copies", "a copy to the host does not wait"},
         Planted{"no_synchronize", "order/stream_synchronize", "returns before the work is done"},
         Planted{"no_device_synchronize", "order/device_synchronize", "synchronize returns before"},
         Planted{"hang", "order/event_synchronize", "did not end within 2 s in event_synchronize"},
         Planted{"claims_waited_on_device", "order/copies_on_the_device_that_waited",
                 "its stream is not done"},
         Planted{"claims_waited_to_host", "order/copies_to_the_host_that_waited",
                 "its bytes are not there"},
         Planted{"drops_work", "order/stream_destroyed", "before stream_destroy never runs"},
         Planted{"stream_of_one_thread", "order/threads_on_one_stream", "a fill is lost"},
         Planted{"keeps_work_of_thread", "order/stream_handed_over",
                 "two threads use one stream by turns, and their work is not done in its order"},
         Planted{"keeps_work_of_thread", "order/stream_of_ended_threads",
                 "threads that end use one stream one after the other"},
         Planted{"short_event_time", "order/elapsed_time", "that the host saw take from"},
         Planted{"any_device", "fault/no_such_device", "has to be refused, and is not"},
         Planted{"trusts_host_memory", "fault/no_host_memory", " in open"},
         Planted{"failure_told_twice", "fault/failed_work", "take_async_error failed"},
         Planted{"swallows_failure", "fault/failed_work", "take_async_error tells of no error"},
         Planted{"ignores_setting", "fault/failed_allocation",
                 "takes the setting fail_alloc, and with it set to 1 the first mem_alloc is no"},
         Planted{"ignores_setting", "fault/failed_copy", "the first copy is no error"},
         Planted{"leak_failed_allocation", "fault/failed_allocation",
                 "where mem_alloc fails, after destroy it holds 1 allocations of the host table"},
         Planted{"leak_failed_copy", "fault/failed_copy", "mem_info has "},
         Planted{"leak_refused_allocation", "fault/impossible_allocation",
                 "allocations of the host table behind"},
         Planted{"leak_failed_allocation_on_device", "fault/failed_allocation",
                 "in lives in which mem_alloc fails, mem_info has "},
         Planted{"leak_refused_allocation_on_device", "fault/impossible_allocation",
                 "leaves memory of the device behind: mem_info has "},
         Planted{"leak_part_of_failed_copy", "fault/failed_copy",
                 "in lives in which a copy fails, mem_info has "},
         Planted{"leak_little_of_failed_copy", "fault/failed_copy",
                 "each life in which a copy fails leaves memory of the C heap behind"},
         Planted{"leak_refused_copy", "fault/left_by_refused_calls",
                 "each copy from a peer leaves memory of the C heap behind"},
         Planted{"leak_failed_work", "fault/left_by_failed_copies",
                 "a copy, as it runs, fails leaves memory of the C heap behind"},
         Planted{"leak_failed_work", "fault/left_by_failed_fills", "a fill, as it runs, fails"},
         Planted{"leak_failed_work", "fault/left_by_failed_kernels", "a kernel, as it runs, fails"},
         Planted{"leak_failed_work_on_device", "fault/left_by_failed_copies",
                 "a copy, as it runs, fails, mem_info has "},
         Planted{"leak_failed_work_on_device", "fault/left_by_failed_fills",
                 "a fill, as it runs, fails, mem_info has "},
         Planted{"leak_failed_work_on_device", "fault/left_by_failed_kernels",
                 "a kernel, as it runs, fails, mem_info has "},
         Planted{"record_after_stop", "profile/source_after_stop", "after stop had returned"},
         Planted{"wrong_correlation", "profile/source_work", "under which nothing was done"},
         Planted{"lost_record", "profile/source_work",
                 "a copy to the host under correlation id 73 is recorded 0 times"},
         Planted{"lost_launch", "profile/source_launches", "a launch under correlation id 1001"},
         Planted{"record_twice", "profile/source_cycles", "recorded 2 times"},
         Planted{"other_clock", "profile/source_work", "on the host's clock"},
         Planted{"takes_any_option", "profile/reporter_options",
                 "rules's option no-such-option=1 is accepted"},
         Planted{"report_differs", "profile/reporter_same",
                 "differs when it is made a second time"},
         Planted{"ignores_write_error", "profile/reporter_output_error",
                 "the failure of write 1 of "},
         Planted{"reads_empty_names", "profile/reporter_odd_names", " in report"},
         Planted{"leak_report", "profile/reporter_heap", "each life of rules leaves memory"},
         Planted{"slow_range", "profile/reporter_live_ranges", "a live range of rules takes"},
         Planted{"wrong_broadcast", "ops/elementwise_binary/elementwise_add/float32/[5, 1],[1, 9]",
                 "got"},
         Planted{"launch_allocates", "ops/elementwise_binary/elementwise_add/",
                 "launch of elementwise_add (plain) takes memory of the host table"},
         Planted{"launch_takes_device_memory", "ops/elementwise_binary/elementwise_add/",
                 "takes memory of the device, 256 bytes"},
         Planted{"launch_reads_config", "ops/elementwise_binary/elementwise_add/",
                 "reads the configuration"},
         Planted{"launch_reads_op", "ops/elementwise_binary/elementwise_add/",
                 " in launch of elementwise_add (plain): it read the description"},
         Planted{"launch_blocks", "ops/elementwise_binary/elementwise_add/", "blocks"},
         Planted{"launch_crashes", "ops/elementwise_binary/elementwise_add/",
                 "SIGABRT in launch of elementwise_add (plain)"},
         Planted{"leak_kernel", "ops/elementwise_binary/elementwise_add/",
                 "leaves behind allocations of the host table"},
         Planted{"unsafe_alias", "ops/elementwise_binary/elementwise_add/",
                 "elementwise_add (plain) says that output 0 may lie in the memory of input 1"},
         Planted{"unsafe_alias_of_tiles", "ops/aliases/matmul",
                 "matmul (tiled) says that output 0 may lie in the memory of input 1, and computes "
                 "something else when it does"},
         Planted{
             "false_agnostic", "ops/elementwise_unary/scale/",
             "scale (plain) says that it is shape-agnostic, and what was prepared for the shape"},
         Planted{"shared_arguments", "ops/elementwise_unary/scale/",
                 "launches of scale (plain) are not re-entrant"},
         Planted{"shared_scratch", "ops/elementwise_unary/scale/",
                 "launches of scale (plain) are not re-entrant"},
         Planted{"wrong_beyond_size", "ops/large/scale/", "where the small case is right"},
         Planted{"layout_for_even_counts", "ops/layouts/round_trip/scale",
                 "comes back from the layout 'reversed', written by scale and read by scale, with"},
         Planted{"layout_too_small", "ops/layouts/round_trip/scale",
                 "launch of scale (plain) writes behind the 4 bytes of output 0, in the layout"},
         Planted{"layout_not_filled", "ops/layouts/round_trip/scale",
                 "float32[1] comes back from the layout 'reversed'"},
         Planted{"layout_misread", "ops/layouts/elementwise_add",
                 "with values in the layout 'reversed': output 0: "},
         Planted{"relayout_overruns", "ops/elementwise_binary/elementwise_add/",
                 "bytes that the layout 'reversed' has"},
         Planted{"unsafe_alias_in_host_memory", "ops/elementwise_binary/elementwise_add/",
                 "elementwise_add (plain) says that output 0 may lie in the memory of input 1"},
         Planted{"unsafe_alias_of_tiles_in_host_memory", "ops/aliases/matmul",
                 "matmul (tiled) says that output 0 may lie in the memory of input 1, and computes "
                 "something else when it does"},
         Planted{
             "false_agnostic_in_host_memory", "ops/elementwise_unary/scale/",
             "scale (plain) says that it is shape-agnostic, and what was prepared for the shape"},
         Planted{"shared_scratch_in_host_memory", "ops/elementwise_unary/scale/",
                 "launches of scale (plain) are not re-entrant"},
         Planted{"layout_too_small_in_host_memory", "ops/layouts/round_trip/scale",
                 "launch of scale (plain) writes behind the 4 bytes of output 0, in the layout"},
         Planted{"relayout_overruns_in_host_memory", "ops/elementwise_binary/elementwise_add/",
                 "bytes that the layout 'reversed' has"}})),
    [](const auto& tested) { return fmt::format("{}{}", tested.param.fault, tested.index); });

// Nothing works any more in the process, and in the next one all does.
TEST(FaultyPlugin, ADeviceThatDiesIsOneFailure) {
  const Report report = verify_plugin("dies", "mem");
  ASSERT_THAT(report.failures(), SizeIs(1)) << to_text(report);
  EXPECT_EQ(report.failures()[0].check, "mem/pitched_copies");
  EXPECT_GT(report.counts()[Outcome::kPassed], 5U);
}

// Nor does it in the next process, for long.
TEST(FaultyPlugin, ADeviceThatIsLostIsOneFailureOfTheCaseAndTheRestIsSkipped) {
  for (const std::string level : {"mem", "ops"}) {
    const Report report = verify_plugin("loses_device", level, level == "ops" ? kCases : "");
    ASSERT_THAT(report.failures(), SizeIs(1)) << to_text(report);
    const Result failure = report.failures()[0];
    EXPECT_THAT(failure.message, StartsWith("the device was lost in it: "));
    EXPECT_THAT(failure.message, Not(HasSubstr("re-entrant")));
    const Result last = report.levels[0].results.back();
    EXPECT_EQ(last.outcome, Outcome::kSkipped);
    EXPECT_THAT(last.message, StartsWith("the device was lost in " + failure.check + ": "));
  }
}

TEST(FaultyPlugin, TheProcessesThatItLeavesAreToldOfAndEnded) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const Report report = verify_plugin("leaves_process", "life");
  EXPECT_THAT(report.failures(), SizeIs(1)) << to_text(report);
  ::close(pipe[1]);
  pollfd end{pipe[0], POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 0), 1) << "a process still holds the pipe";
  ::close(pipe[0]);
}

TEST(FaultlessPlugin, Passes) {
  for (const std::string& level : level_names()) {
    if (level == "capture") continue;  // it has no capturer; see faulty_capturer_test.cc
    const Report report = verify_plugin("none", level, level == "ops" ? kCases : "");
    EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
    EXPECT_GT(report.counts()[Outcome::kPassed], 0U) << level;
  }
}

// Sixteen allocations at a time, and one queue for all streams, as it states: verify and the core
// go by both.
TEST(FaultlessPlugin, PassesWhereTheDeviceIsNarrow) {
  for (const std::string& level : level_names()) {
    if (level == "capture") continue;
    const Report report =
        verify_plugin("narrow", level,
                      level == "ops" ? "ops/place|/(assign|scale|elementwise_add)/float32/" : "");
    EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
    EXPECT_GT(report.counts()[Outcome::kPassed], 0U) << level;
  }
}

// Inline, in the host's memory, as the CPU plugin is.
TEST(FaultlessPlugin, PassesWhereTheDeviceWorksInTheHostsMemory) {
  for (const std::string level : {"abi", "life", "ops"}) {
    const Report report = verify_plugin("none_in_host_memory", level, level == "ops" ? kCases : "");
    EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
    EXPECT_GT(report.counts()[Outcome::kPassed], 0U) << level;
  }
}

// The plugins of this tree. Their cases of ops are tests of their own; a few show the traps here.
class OwnPlugin : public ::testing::TestWithParam<const char*> {};

TEST_P(OwnPlugin, Passes) {
  Options options;
  options.file = test::plugin_file(GetParam());
  options.directories = {test::plugin_directory()};
  // A few under a sanitizer, where the conformance tests run all of them anyway.
  const bool is_sanitized = heap_bytes() == 0;
  options.filter =
      fmt::format("^(abi|life|mem|order|fault|profile)/|^ops/{}/[a-z_0-9]+/float32/.*\\[[0-9]\\]",
                  is_sanitized ? "softmax" : "[a-z_0-9]+");
  const Report report = verify(options);
  EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
  EXPECT_GT(report.counts()[Outcome::kPassed], is_sanitized ? 20U : 400U);
}

INSTANTIATE_TEST_SUITE_P(Plugins, OwnPlugin, ::testing::Values("cpu", "sim"),
                         [](const auto& tested) { return std::string(tested.param); });

// Those that have any.
TEST(OwnPlugin, KeepsWhatComesInLayoutsOfItsOwn) {
  Options options;
  options.file = test::plugin_file("cpu");
  options.directories = {test::plugin_directory()};
  options.levels = {"ops"};
  // Not the many cases of convolutions under a sanitizer, where each check takes minutes.
  const bool is_sanitized = heap_bytes() == 0;
  options.filter = is_sanitized ? "^ops/(place$|layouts/(round_trip/|batch_norm|pool2d|relu))"
                                : "^ops/(place$|layouts/)";
  const Report report = verify(options);
  EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
  EXPECT_GE(report.counts()[Outcome::kPassed], is_sanitized ? 4U : 10U) << to_text(report);
}

class OwnReporter : public ::testing::TestWithParam<const char*> {};

TEST_P(OwnReporter, Passes) {
  Options options;
  options.file = test::plugin_file(std::string("reporter_") + GetParam());
  options.levels = {"abi", "life", "profile"};
  const Report report = verify(options);
  EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
  // The live ranges are for few.
  const std::size_t shown = report.levels.back().counts()[Outcome::kPassed];
  EXPECT_GE(shown, heap_bytes() == 0 ? 7U : 8U) << to_text(report);
}

// The cases of operators would run on kernels of others.
TEST(Verify, WhatIsNoBackendHasNoCases) {
  Options options;
  options.file = test::plugin_file("reporter_csv");
  options.levels = {"ops"};
  options.directories = {test::plugin_directory()};
  const Report report = verify(options);
  EXPECT_EQ(report.levels.front().counts()[Outcome::kPassed], 0U) << to_text(report);
  EXPECT_THAT(to_text(report), HasSubstr("skipped, 1: it is no backend, and has no kernels"));
}

INSTANTIATE_TEST_SUITE_P(Reporters, OwnReporter,
                         ::testing::Values("classic", "csv", "html", "json", "nvprof", "nvtx",
                                           "statset", "summary", "trace"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace loci::verify
