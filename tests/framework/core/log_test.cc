#include "framework/core/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <loci/error.hpp>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "framework/core/config.h"

namespace loci::core {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class LogTest : public ::testing::Test {
 protected:
  ~LogTest() override { set_log_levels("warn"); }

  template <class Function>
  static std::string captured(Function&& function) {
    ::testing::internal::CaptureStderr();
    function();
    return ::testing::internal::GetCapturedStderr();
  }
};

struct Line {
  std::string level;
  double microseconds = 0;
  int thread = -1;
  std::string logger;
  std::string file;
  int number = 0;
  std::string message;
};

Line parse_line(const std::string& text) {
  static const std::regex pattern(R"((\w+) +(\d+\.\d)us t(\d+) (\w+) ([\w.]+):(\d+)\] (.*)\n)");
  std::smatch match;
  if (!std::regex_match(text, match, pattern)) {
    ADD_FAILURE() << "not a log line: " << text;
    return {};
  }
  return {
      match[1], std::stod(match[2]), std::stoi(match[3]), match[4], match[5], std::stoi(match[6]),
      match[7]};
}

TEST_F(LogTest, LineHasLevelTimeThreadLoggerAndSource) {
  int number = 0;
  const std::string text = captured([&] {
    number = __LINE__ + 1;
    log(Module::kTransfer, Level::kError, "lost {} of {} bytes", 3, "many");
  });
  const Line line = parse_line(text);
  EXPECT_EQ(line.level, "error");
  EXPECT_EQ(line.logger, "transfer");
  EXPECT_EQ(line.file, "log_test.cc");
  EXPECT_EQ(line.number, number);
  EXPECT_EQ(line.message, "lost 3 of many bytes");
}

TEST_F(LogTest, TimeIsMicrosecondsAndGrows) {
  const auto now = [] {
    return parse_line(captured([] { log(Module::kIo, Level::kWarn, "tick"); })).microseconds;
  };
  const double before = now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double elapsed = now() - before;
  EXPECT_GE(elapsed, 20e3);
  EXPECT_LT(elapsed, 20e6);
}

TEST_F(LogTest, ThreadsHaveDifferentNumbers) {
  const auto write = [] { log(Module::kIo, Level::kWarn, "here"); };
  const int own = parse_line(captured(write)).thread;
  const int other = parse_line(captured([&] { std::thread(write).join(); })).thread;
  EXPECT_NE(own, other);
  EXPECT_EQ(parse_line(captured(write)).thread, own);
}

TEST_F(LogTest, BracesInAMessageAreNotAFormat) {
  const std::string text = captured([] { log(Module::kIo, Level::kWarn, "{}", "{} {0} {x}"); });
  EXPECT_EQ(parse_line(text).message, "{} {0} {x}");
}

TEST_F(LogTest, LevelsFilterPerModule) {
  set_log_levels("operator=debug,transfer=off");
  EXPECT_TRUE(log_enabled(Module::kOperator, Level::kDebug));
  EXPECT_FALSE(log_enabled(Module::kOperator, Level::kTrace));
  EXPECT_FALSE(log_enabled(Module::kTransfer, Level::kError));
  EXPECT_TRUE(log_enabled(Module::kIo, Level::kWarn));
  EXPECT_FALSE(log_enabled(Module::kIo, Level::kInfo));
  EXPECT_THAT(captured([] { log(Module::kTransfer, Level::kError, "hidden"); }), IsEmpty());
  EXPECT_THAT(captured([] { write_log(Module::kTransfer, Level::kError, "hidden", "f", 1); }),
              IsEmpty());
}

TEST_F(LogTest, OneLevelIsForAllModules) {
  set_log_levels("trace");
  for (std::size_t i = 0; i < static_cast<std::size_t>(Module::kCount); ++i) {
    EXPECT_TRUE(log_enabled(static_cast<Module>(i), Level::kTrace)) << i;
  }
}

TEST_F(LogTest, LaterEntriesWin) {
  set_log_levels("debug,io=error");
  EXPECT_FALSE(log_enabled(Module::kIo, Level::kWarn));
  EXPECT_TRUE(log_enabled(Module::kPass, Level::kDebug));
}

TEST_F(LogTest, UnknownModuleIsNamedWithASuggestion) {
  EXPECT_THAT([] { set_log_levels("operater=debug"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'operater' names no module"),
                                         HasSubstr("did you mean 'operator'?"))));
}

TEST_F(LogTest, UnknownLevelIsNamedAndNothingChanges) {
  EXPECT_THAT([] { set_log_levels("io=trace,device=loudest"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'loudest' names no level"),
                                         HasSubstr("'device=loudest'"), HasSubstr("'trace'"))));
  EXPECT_FALSE(log_enabled(Module::kIo, Level::kTrace));
}

TEST_F(LogTest, EveryNameIsTaken) {
  EXPECT_THAT(log_level_names(), ElementsAre("trace", "debug", "info", "warn", "error", "off"));
  ASSERT_EQ(log_module_names().size(), static_cast<std::size_t>(Module::kCount));
  for (const std::string& module : log_module_names()) {
    for (const std::string& level : log_level_names()) check_log_levels(module + "=" + level);
  }
}

TEST_F(LogTest, EmptyEntryIsRefused) {
  EXPECT_THROW(set_log_levels("io=debug,,device=debug"), Error);
  EXPECT_THROW(set_log_levels("io="), Error);
}

TEST_F(LogTest, LinesOfManyThreadsStayWhole) {
  const std::string text = captured([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 50; ++i) log(Module::kIo, Level::kWarn, "line of one piece");
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  std::size_t start = 0;
  int lines = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    EXPECT_EQ(parse_line(text.substr(start, end + 1 - start)).message, "line of one piece");
    start = end + 1;
    ++lines;
  }
  EXPECT_EQ(lines, 200);
}

struct LogsWhenDestroyed {
  ~LogsWhenDestroyed() {
    const std::string setting = config_value("TEST_AT_EXIT").value_or("lost");
    log(Module::kIo, Level::kWarn, "farewell {}", setting);
  }
};

TEST(LogDeathTest, WorksInDestructorsOfStatics) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto scenario = [] {
    // Made before the logger and the settings, so destroyed after them if they were.
    static LogsWhenDestroyed object;
    set_config_value("TEST_AT_EXIT", "kept");
    log(Module::kIo, Level::kWarn, "first line");
    std::exit(0);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "farewell kept");
}

}  // namespace
}  // namespace loci::core
