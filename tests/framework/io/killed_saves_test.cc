// Processes that end in the middle of a save.
#include <array>
#include <csignal>
#include <random>

#include "tests/framework/io/saving_fixture.h"

namespace loci {
namespace {

using test::FaultKind;
using test::FileFaults;
using test::kFaultExit;

class KilledSavesTest : public SavingTest {
 protected:
  // Ends a process before or after each call of its save; returns how many calls there are.
  int end_at_each_call(FaultKind kind, const std::function<void()>& prepare) {
    for (int at = 0;; ++at) {
      prepare();
      const int code = wait(start([&] {
        const FileFaults faults({at, kind, 0, {}});
        two_.save(directory_);
      }));
      if (code == 0) return at;
      EXPECT_EQ(code, kFaultExit);
      check_after(at);
      if (HasFailure()) return at;
    }
  }
  void check_after(int at) {
    SCOPED_TRACE(::testing::Message() << "call " << at);
    const int found = factor();
    EXPECT_TRUE(found == 1 || found == 2) << found;
    EXPECT_LE(files().size(), 5U);
    one_.save(directory_);
    EXPECT_EQ(factor(), 1);
    expect_clean();
  }
};

TEST_F(KilledSavesTest, LeaveTheOldModelOrTheNewAtEachCall) {
  EXPECT_GT(end_at_each_call(FaultKind::kExitBefore, [&] { one_.save(directory_); }), 30);
  EXPECT_GT(end_at_each_call(FaultKind::kExitAfter, [&] { one_.save(directory_); }), 30);
}

TEST_F(KilledSavesTest, SoDoTheyWhereWeightsHadNoName) {
  EXPECT_GT(end_at_each_call(FaultKind::kExitBefore, [&] { one_.save_unnamed(directory_); }), 30);
}

TEST_F(KilledSavesTest, LeaveTheOldModelOrTheNewAtAnyTime) {
  std::mt19937 random(7);
  one_.save(directory_);
  const int kills = rounds(60);
  std::array<int, 3> found{};
  for (int i = 0; i < kills; ++i) {
    const pid_t child = start([&] {
      while (true) {
        two_.save(directory_);
        one_.save(directory_);
      }
    });
    ::usleep(std::uniform_int_distribution<useconds_t>(0, 25'000)(random));
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait(child), 128 + SIGKILL);
    const int model = factor();
    ASSERT_TRUE(model == 1 || model == 2) << "kill " << i;
    ++found[static_cast<std::size_t>(model)];
    // Weights and two temporary files of the last one.
    ASSERT_LE(files().size(), 6U);
  }
  one_.save(directory_);
  expect_clean();
  RecordProperty("first", found[1]);
  RecordProperty("second", found[2]);
}

}  // namespace
}  // namespace loci
