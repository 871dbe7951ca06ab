// Readers and other writers while a model is saved.
#include <csignal>
#include <thread>

#include "tests/framework/io/saving_fixture.h"

namespace loci {
namespace {

class SavesAtOnceTest : public SavingTest {
 protected:
  // Saves the two models in turn, until it is killed.
  pid_t start_saving() {
    return start([&] {
      while (true) {
        two_.save(directory_);
        one_.save(directory_);
      }
    });
  }
};

TEST_F(SavesAtOnceTest, ReadersSeeTheOldModelOrTheNew) {
  one_.save_unnamed(directory_);
  const pid_t writer = start_saving();
  const auto read = [&] {
    for (int i = 0; i < rounds(200); ++i) {
      const int found = factor();
      ASSERT_TRUE(found == 1 || found == 2);
    }
  };
  std::thread other(read);
  read();
  other.join();
  ::kill(writer, SIGKILL);
  EXPECT_EQ(wait(writer), 128 + SIGKILL);
}

TEST_F(SavesAtOnceTest, OneOfTwoWritersWins) {
  const auto save_often = [&](const FactorModel& model) {
    return start([&] {
      for (int i = 0; i < rounds(40); ++i) model.save(directory_);
    });
  };
  const pid_t first = save_often(one_);
  const pid_t second = save_often(two_);
  const pid_t again = save_often(two_);
  for (const pid_t child : {first, second, again}) {
    int found = 0;
    while (::waitpid(child, &found, WNOHANG) == 0) {
      if (std::filesystem::exists(directory_ + "/program.json")) {
        ASSERT_NE(factor(), 0);
      }
    }
    EXPECT_EQ(found, 0);
  }
  EXPECT_NE(factor(), 0);
  expect_clean();
}

TEST_F(SavesAtOnceTest, ThreadsOfAProcessAreWritersAsWell) {
  std::thread other([&] {
    for (int i = 0; i < rounds(20); ++i) one_.save(directory_);
  });
  for (int i = 0; i < rounds(20); ++i) two_.save(directory_);
  other.join();
  EXPECT_NE(factor(), 0);
  expect_clean();
}

}  // namespace
}  // namespace loci
