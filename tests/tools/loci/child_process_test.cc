#include "tools/loci/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <system_error>

namespace loci::runner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using End = ChildResult::End;

ChildResult shell(const std::string& script, milliseconds limit = seconds(60)) {
  return run_child({{"/bin/sh", "-c", script}, limit});
}

TEST(ChildProcessTest, KeepsWhatAProgramWrites) {
  const ChildResult result = shell("echo result; echo trouble >&2; echo a >&3; echo b >&3");
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.out, "result\n");
  EXPECT_EQ(result.err, "trouble\n");
  EXPECT_EQ(result.report, "a\nb\n");
}

TEST(ChildProcessTest, TellsExitCodesFromSignals) {
  const ChildResult exited = shell("exit 3");
  EXPECT_EQ(exited.end, End::kExited);
  EXPECT_EQ(exited.value, 3);
  EXPECT_FALSE(exited.succeeded());
  EXPECT_EQ(describe_end(exited), "called exit(3)");
  const ChildResult crashed = shell("ulimit -c 0; kill -SEGV $$");
  EXPECT_EQ(crashed.end, End::kSignalled);
  EXPECT_EQ(crashed.value, SIGSEGV);
  EXPECT_EQ(describe_end(crashed), "crashed with SIGSEGV");
  EXPECT_EQ(describe_end(shell("kill -TERM $$")), "was ended by SIGTERM");
}

TEST(ChildProcessTest, EndsAProgramWhoseTimeIsOver) {
  const ChildResult result = shell("echo begun >&3; sleep 600", milliseconds(1500));
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_EQ(result.report, "begun\n");
  EXPECT_EQ(describe_end(result), "did not return within 1.5 s");
  EXPECT_GE(result.duration, milliseconds(1500));
  EXPECT_LT(result.duration, seconds(300));
}

TEST(ChildProcessTest, TellsOfEachLineAndCountsTheTimeFromTheLatest) {
  std::string told;
  ChildCommand command{{"/bin/sh", "-c",
                        "for i in 1 2 3 4; do echo $i >&3; sleep 1; done; echo x >&3; "
                        "printf y >&3; sleep 600"},
                       milliseconds(3000)};
  command.told = [&told](std::string_view line) {
    told += "[" + std::string(line) + "]";
    return true;
  };
  const ChildResult result = run_child(command);
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_EQ(told, "[1][2][3][4][x]");
  EXPECT_GE(result.duration, milliseconds(7000));
}

TEST(ChildProcessTest, ALineThatDoesNotCountGivesNoTime) {
  int lines = 0;
  ChildCommand command{{"/bin/sh", "-c", "while :; do echo on >&3; sleep 0.1; done"}, seconds(1)};
  command.told = [&lines](std::string_view) {
    ++lines;
    return false;
  };
  EXPECT_EQ(run_child(command).end, End::kTimedOut);
  EXPECT_GE(lines, 1);
}

TEST(ChildProcessTest, TellsOfAllLinesOfALongReport) {
  int lines = 0;
  std::string latest;
  ChildCommand command{{"/bin/sh", "-c", "seq 400000 >&3"}, seconds(60)};
  command.told = [&](std::string_view line) {
    ++lines;
    latest = line;
    return true;
  };
  const ChildResult result = run_child(command);
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(lines, 400'000);
  EXPECT_EQ(latest, "400000");
  EXPECT_EQ(result.report, "");
}

TEST(ChildProcessTest, EndsAProgramThatTellsTooMuch) {
  for (const char* script : {"head -c 2000000 /dev/zero >&3; sleep 600", "yes line >&3"}) {
    ChildCommand command{{"/bin/sh", "-c", script}, seconds(120)};
    command.told = [](std::string_view) { return true; };
    const ChildResult result = run_child(command);
    EXPECT_EQ(result.end, End::kToldTooMuch) << script;
    EXPECT_EQ(describe_end(result),
              "wrote a line of more than 1 MiB, or more than 64 MiB, to a descriptor that is not "
              "its own");
    EXPECT_LE(result.report.size(), kMaxChildText);
  }
}

TEST(ChildProcessTest, EndsAProgramThatIgnoresTerminationOrStops) {
  EXPECT_EQ(shell("trap '' TERM INT HUP; sleep 600", milliseconds(200)).end, End::kTimedOut);
  EXPECT_EQ(shell("kill -STOP $$", milliseconds(200)).end, End::kTimedOut);
}

TEST(ChildProcessTest, DoesNotWaitForWhatAProgramLeavesRunning) {
  const ChildResult result = shell("sleep 600 & echo $! >&3");
  EXPECT_TRUE(result.succeeded());
  EXPECT_LT(result.duration, seconds(300));
  const pid_t straggler = std::stoi(result.report);
  // Killed, but it may take its parent, which is another now, a moment to bury it.
  for (int i = 0; i < 1000 && ::kill(straggler, 0) == 0; ++i) {
    if (shell("grep -q '^State:.Z' /proc/" + std::to_string(straggler) + "/status").succeeded()) {
      return;
    }
  }
  EXPECT_EQ(::kill(straggler, 0), -1);
}

TEST(ChildProcessTest, ReadsMoreThanAPipeHoldsAndKeepsABoundedPart) {
  const ChildResult result = shell("head -c 3000000 /dev/zero; echo done >&3");
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.out.size(), kMaxChildText);
  EXPECT_EQ(result.report, "done\n");
}

TEST(ChildProcessTest, EndsAProgramThatWritesForEver) {
  const ChildResult result = shell("while :; do echo line; done", milliseconds(1000));
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_THAT(result.out, ::testing::StartsWith("line\nline\n"));
}

TEST(ChildProcessTest, GivesTheEnvironmentWithChanges) {
  ::setenv("LOCI_CHILD_A", "old", /*replace=*/1);
  ::setenv("LOCI_CHILD_B", "kept", /*replace=*/1);
  ChildCommand command;
  command.arguments = {"/bin/sh", "-c", "echo $LOCI_CHILD_A $LOCI_CHILD_B"};
  command.environment = {"LOCI_CHILD_A=new"};
  command.limit = seconds(60);
  EXPECT_EQ(run_child(command).out, "new kept\n");
}

TEST(ChildProcessTest, HasNoInput) { EXPECT_EQ(shell("cat").out, ""); }

TEST(ChildProcessTest, RefusesWhatIsNotThere) {
  EXPECT_THROW(run_child({{"/no/such/program"}, seconds(60)}), std::system_error);
}

}  // namespace
}  // namespace loci::runner
