// Capturers that break one rule each (../faulty_capturer): verify finds it and says so.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using ::testing::SizeIs;

Report verify_capturer(const std::string& fault, const std::string& level,
                       const std::string& filter = "") {
  Options options;
  options.file = test::build_path("lib/loci/faulty_plugins/loci-capturer_" + fault + ".so");
  options.levels = {level};
  options.filter = filter;
  options.directories = {test::plugin_directory()};
  return verify(options);
}

struct PlantedInCapturer {
  const char* fault;
  const char* check;    // that finds it
  const char* message;  // a part of what it says
};

void PrintTo(const PlantedInCapturer& planted, std::ostream* out) { *out << planted.fault; }

class FaultyCapturer : public ::testing::TestWithParam<PlantedInCapturer> {};

TEST_P(FaultyCapturer, IsFoundAndNamed) {
  const PlantedInCapturer& planted = GetParam();
  const std::string check = planted.check;
  if (check == "capture/heap" && heap_bytes() == 0) {
    GTEST_SKIP() << "the sanitizer's allocator does not count";
  }
  const std::string level = check.substr(0, check.find('/'));
  const Report report = verify_capturer(planted.fault, level, "^" + check + "$");
  ASSERT_THAT(report.failures(), SizeIs(1)) << to_text(report);
  EXPECT_EQ(report.failures()[0].check, check);
  EXPECT_THAT(report.failures()[0].message, HasSubstr(planted.message));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, FaultyCapturer,
    ::testing::ValuesIn(planted_faults<PlantedInCapturer>(
        {PlantedInCapturer{"captures_other_type", "abi/capture_table",
                           "for the device type 'other'"},
         PlantedInCapturer{"lacks_update", "abi/capture_table", "loci.capture lacks update"},
         PlantedInCapturer{"lacks_loop_end", "abi/capture_table",
                           "has one of loop_begin and loop_end"},
         PlantedInCapturer{"lacks_branch_else", "abi/capture_table",
                           "has some of branch_begin, branch_else and branch_end"},
         PlantedInCapturer{"loop_runs_once", "capture/loop_rounds", "a loop of 2 rounds"},
         PlantedInCapturer{"loop_looks_behind", "capture/loop_rounds", "a loop of 0 rounds"},
         PlantedInCapturer{"loop_comes_last", "capture/loop_order", "a copy behind a loop"},
         PlantedInCapturer{"body_runs_while_recording", "capture/loop_nothing_runs",
                           "a loop is done while it is recorded"},
         PlantedInCapturer{"forgets_open_loop", "capture/loop_unfinished",
                           "end before the end of a loop has to be refused, and is not"},
         PlantedInCapturer{"keeps_open_body", "capture/loop_unfinished",
                           "behind a loop that did not end is active, and has to be none"},
         PlantedInCapturer{"ends_any_loop", "capture/loop_refused",
                           "loop_end without loop_begin has to be refused, and is not"},
         PlantedInCapturer{"changes_loops", "capture/loop_unchanged",
                           "an update of a graph with a loop has to be unsupported"},
         PlantedInCapturer{"branch_does_both", "capture/branch", "a branch whose condition holds"},
         PlantedInCapturer{"branch_never_else", "capture/branch",
                           "a branch whose condition does not hold"},
         PlantedInCapturer{"branch_looks_twice", "capture/branch_looks_once",
                           "a branch does both parts where the first one changes its condition"},
         PlantedInCapturer{"branch_needs_no_else", "capture/branch_refused",
                           "branch_end without branch_else has to be refused, and is not"},
         PlantedInCapturer{"nests_nothing", "capture/branch_in_loop",
                           "the body of a loop has another one"},
         PlantedInCapturer{"forgets_branches", "capture/fork", "stats counts 3 nodes of 4 copies"},
         PlantedInCapturer{"fork_comes_first", "capture/fork",
                           "a copy behind one that was not announced last, in launch 1 of"},
         PlantedInCapturer{"fork_moves_records", "capture/fork_records",
                           "the record of item 2 of a graph that forks has 64 bytes"},
         PlantedInCapturer{"depends_on_anything", "capture/fork_refused",
                           "depend on an item that was not announced before has to be refused"},
         PlantedInCapturer{"refused_fork_spoils", "capture/fork_refused",
                           "behind a depend that was refused is invalid, and has to be active"},
         PlantedInCapturer{"depends_without_begin", "capture/fork_without_begin",
                           "depend in a stream that does not record has to be refused"},
         PlantedInCapturer{"runs_while_recording", "capture/nothing_runs",
                           "a copy that a stream records is done before a launch"},
         PlantedInCapturer{"instantiate_runs", "capture/nothing_runs",
                           "instantiate does what was recorded"},
         PlantedInCapturer{"status_of_none", "capture/status",
                           "behind begin is none, and has to be active"},
         PlantedInCapturer{"begins_twice", "capture/begin_twice",
                           "begin in a stream that records has to be refused, and is not"},
         PlantedInCapturer{"begin_twice_spoils", "capture/begin_twice",
                           "is invalid, and has to be active"},
         PlantedInCapturer{"ends_without_begin", "capture/end_without_begin",
                           "end in a stream that does not record has to be refused"},
         PlantedInCapturer{"abort_needs_recording", "capture/abort_without_begin",
                           "abort failed with"},
         PlantedInCapturer{"abort_keeps_nodes", "capture/abort",
                           "recorded in the stream behind an abort does what was recorded before"},
         PlantedInCapturer{"abort_keeps_recording", "capture/abort", "the stream records"},
         PlantedInCapturer{"refuses_empty", "capture/empty", "nothing was recorded"},
         PlantedInCapturer{"begin_drops_work", "capture/begin_in_busy_stream",
                           "queued before begin is lost"},
         PlantedInCapturer{"counts_nothing", "capture/stats_and_dump",
                           "stats counts 0 nodes of 2 ops"},
         PlantedInCapturer{"short_dump", "capture/stats_and_dump",
                           "dump has 1 lines, and the graph 2 nodes"},
         PlantedInCapturer{"nameless_dump", "capture/stats_and_dump", "by its op, 'verify_assign'"},
         PlantedInCapturer{"accepts_synchronize", "capture/refuses_stream_synchronize",
                           "stream_synchronize while the stream records has to be refused"},
         PlantedInCapturer{"accepts_query", "capture/refuses_stream_query",
                           "stream_query while the stream records has to be refused"},
         PlantedInCapturer{"accepts_event_record", "capture/refuses_event_record",
                           "event_record while the stream records has to be refused"},
         PlantedInCapturer{
             "accepts_device_synchronize", "capture/refuses_synchronize",
             "synchronize by the thread that records while the stream records has to be"},
         PlantedInCapturer{
             "accepts_free", "capture/refuses_free",
             "mem_free in the order of the stream while the stream records has to be"},
         PlantedInCapturer{"forgets_refusal", "capture/refuses_stream_query",
                           "behind stream_query is active, and has to be invalid"},
         PlantedInCapturer{"keeps_failed_recording", "capture/refuses_stream_query",
                           "behind a recording that failed is invalid, and has to be none"},
         PlantedInCapturer{"launches_once", "capture/equals_plain",
                           "launch 2 of a graph, against plain work"},
         PlantedInCapturer{"launch_ignores_stream", "capture/order",
                           "a launch does not wait for the work of its stream"},
         PlantedInCapturer{"launches_in_one_stream", "capture/launches_in_turn", "two launches of"},
         PlantedInCapturer{"launches_overlap", "capture/launches_in_turn",
                           "in two streams do not run one after the other"},
         PlantedInCapturer{"executables_share", "capture/two_executables",
                           "the second of two executables"},
         PlantedInCapturer{"graph_takes_executables", "capture/graph_goes_first",
                           "whose graph was destroyed"},
         PlantedInCapturer{"destroy_cancels", "capture/destroyed_while_queued",
                           "whose executable was destroyed while it was queued"},
         PlantedInCapturer{"few_executables", "capture/many_graphs", "there are 50 executables"},
         PlantedInCapturer{"one_correlation", "capture/records",
                           "item 1 of a launch with correlation 5000 has no record under 5001"},
         PlantedInCapturer{"no_replay_number", "capture/records", "says replay 0 of graph 7"},
         PlantedInCapturer{"patch_does_nothing", "capture/patch",
                           "behind a patch of its source, which succeeded"},
         PlantedInCapturer{"patch_spoils", "capture/patch",
                           "behind a patch of its source, which was unsupported"},
         PlantedInCapturer{"patch_hits_queued", "capture/patch_is_for_later_launches",
                           "a launch of a copy that was queued before a patch"},
         PlantedInCapturer{"patches_anything", "capture/patch_refused",
                           "a patch of an item that is not there has to be refused"},
         PlantedInCapturer{"update_does_nothing", "capture/update",
                           "behind an update, which succeeded"},
         PlantedInCapturer{"update_hits_queued", "capture/update_is_for_later_launches",
                           "a launch that was queued before an update"},
         PlantedInCapturer{
             "updates_anything", "capture/update_refused",
             "an update to a graph of one copy more has to be unsupported, and is not"},
         PlantedInCapturer{"update_says_nothing", "capture/update_refused",
                           "the text does not say which node differs"},
         PlantedInCapturer{"patched_is_not_updated", "capture/random_calls",
                           "random calls of a capturer"},
         PlantedInCapturer{
             "any_device",
             "capture/strange_device",
             "a device without the native handles that the capturer needs has to be refused"},
         PlantedInCapturer{
             "cannot_open", "capture/status",
             "open of the capturer failed with FAILED: [captures] it cannot be opened"},
         PlantedInCapturer{"opens_once", "capture/open_twice", "it was opened before"},
         PlantedInCapturer{"records_everything", "capture/other_streams",
                           "while another one records"},
         PlantedInCapturer{"one_recording", "capture/two_recordings", "another stream records"},
         PlantedInCapturer{"records_in_one_thread", "capture/two_threads",
                           "another thread recorded before"},
         PlantedInCapturer{
             "leaks_graph", "capture/heap",
             "each graph that was launched and destroyed leaves memory of the C heap"},
         PlantedInCapturer{"leaks_aborted_recording", "capture/heap",
                           "each recording that was given up"},
         PlantedInCapturer{"leaks_failed_recording", "capture/heap", "each recording that failed"},
         PlantedInCapturer{"takes_device_memory", "capture/device_memory",
                           "mem_info has 409600 bytes less"},
         PlantedInCapturer{"leaks_host_memory", "capture/left_behind",
                           "allocations of the host table"},
         PlantedInCapturer{
             "kernel_synchronizes", "capture/kernel/assign",
             "assign (plain) says that it is LOCI_KERNEL_CAPTURABLE, and its launch spoils"},
         PlantedInCapturer{"kernel_reads_at_launch", "capture/kernel/assign",
                           "once its inputs hold other values: it reads them when it is launched"},
         PlantedInCapturer{"kernel_runs_at_once", "capture/kernel/assign",
                           "does its work while the stream records"}})),
    [](const auto& tested) { return fmt::format("{}{}", tested.param.fault, tested.index); });

TEST(FaultlessCapturer, Passes) {
  for (const std::string level : {"abi", "capture"}) {
    const Report report = verify_capturer("none", level);
    EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
    EXPECT_GT(report.counts()[Outcome::kPassed], level == "abi" ? 8U : 30U) << to_text(report);
  }
}

// Sixteen allocations at a time, and one queue for all streams.
TEST(FaultlessCapturer, PassesWhereTheDeviceIsNarrow) {
  for (const std::string level : {"abi", "life", "mem", "capture"}) {
    const Report report = verify_capturer("narrow", level);
    EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
    EXPECT_GT(report.counts()[Outcome::kPassed], level == std::string("capture") ? 30U : 5U)
        << to_text(report);
  }
}

// Both plugins of the pair, each of which finds the other one.
TEST(OwnCapturer, PassesAndSoDoesItsBackend) {
  Options options;
  options.levels = {"abi", "life", "capture"};
  options.directories = {test::plugin_directory()};
  options.file = test::plugin_file("sim_graph");
  Report report = verify(options);
  EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
  EXPECT_GT(report.levels.back().counts()[Outcome::kPassed], 30U) << to_text(report);

  options.file = test::plugin_file("sim");
  options.levels = {"capture"};
  const bool is_sanitized = heap_bytes() == 0;
  options.filter = is_sanitized ? "^capture/([a-z_]*|kernel/(relu|softmax|matmul))$" : "";
  report = verify(options);
  EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
  EXPECT_GT(report.counts()[Outcome::kPassed], is_sanitized ? 30U : 90U) << to_text(report);
}

TEST(Verify, WithoutTheOtherPluginCapturesAreSkipped) {
  Options options;
  options.levels = {"capture"};
  options.file = test::plugin_file("reporter_csv");
  EXPECT_THAT(to_text(verify(options)), HasSubstr("it is neither a capturer nor a backend"));
  options.file = test::build_path("lib/loci/faulty_plugins/loci-none.so");
  const Report report = verify(options);
  EXPECT_THAT(to_text(report), HasSubstr("no other plugin is a capturer of rules"));
  EXPECT_EQ(report.counts()[Outcome::kSkipped], report.levels.front().results.size())
      << to_text(report);
}

}  // namespace
}  // namespace loci::verify
