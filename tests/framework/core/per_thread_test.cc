#include "framework/core/per_thread.h"

#include <gtest/gtest.h>

#include <thread>

namespace loci::core {
namespace {

struct Counted {
  static inline int living = 0;
  int value = 0;
  Counted() { ++living; }
  ~Counted() { --living; }
};

TEST(PerThreadTest, EachThreadHasItsOwnUntilItEnds) {
  PerThread<Counted>::get().value = 5;
  const int before = Counted::living;
  std::thread([&] {
    EXPECT_EQ(PerThread<Counted>::get().value, 0);
    PerThread<Counted>::get().value = 7;
    EXPECT_EQ(PerThread<Counted>::get().value, 7);
    EXPECT_EQ(Counted::living, before + 1);
  }).join();
  EXPECT_EQ(Counted::living, before);
  EXPECT_EQ(PerThread<Counted>::get().value, 5);
}

TEST(PerThreadTest, TagsTellThemApart) {
  struct Other {};
  PerThread<Counted>::get().value = 5;
  PerThread<Counted, Other>::get().value = 6;
  EXPECT_EQ(PerThread<Counted>::get().value, 5);
}

struct Kept {
  int value = 0;
};

TEST(PerThreadTest, ObjectsThatEndLaterGetOneThatStays) {
  // Made before the value's owner, so that it ends after it.
  static int seen = 0;
  struct Later {
    ~Later() {
      PerThread<Kept>::get().value += 2;
      seen = PerThread<Kept>::get().value;
    }
  };
  std::thread([] {
    thread_local const Later later;
    (void)later;
    PerThread<Kept>::get().value = 40;
  }).join();
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace loci::core
