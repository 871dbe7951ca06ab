#include "framework/plugin/layout_table.h"

#include <gtest/gtest.h>
#include <loci/abi/kernels.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace loci::plugin {
namespace {

TEST(LayoutTable, GivesOneIdForOneLayout) {
  const std::uint32_t id = intern_layout("org.a", "text", 64);
  EXPECT_EQ(intern_layout("org.a", "text", 64), id);
  EXPECT_NE(intern_layout("org.b", "text", 64), id);
  EXPECT_NE(intern_layout("org.a", "other", 64), id);
  EXPECT_NE(intern_layout("org.a", "text", 65), id);
  EXPECT_NE(id, LOCI_LAYOUT_PLAIN);
  EXPECT_NE(id, LOCI_LAYOUT_ANY);
}

TEST(LayoutTable, FindsWhatItGave) {
  const Layout* layout = find_layout(intern_layout("org.c", "blocked", 128));
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(layout->plugin, "org.c");
  EXPECT_EQ(layout->text, "blocked");
  EXPECT_EQ(layout->bytes, 128u);
  EXPECT_EQ(find_layout(LOCI_LAYOUT_PLAIN), nullptr);
  EXPECT_EQ(find_layout(LOCI_LAYOUT_ANY), nullptr);
}

TEST(LayoutTable, ServesThreadsAtOnce) {
  std::vector<std::set<std::uint32_t>> ids(4);
  std::vector<std::thread> threads;
  for (std::set<std::uint32_t>& mine : ids) {
    threads.emplace_back([&mine] {
      for (std::uint64_t i = 0; i < 100; ++i) {
        const std::uint32_t id = intern_layout("org.d", "threads", i);
        mine.insert(id);
        if (find_layout(id)->bytes != i) mine.insert(0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::set<std::uint32_t>& mine : ids) EXPECT_EQ(mine, ids[0]);
  EXPECT_EQ(ids[0].size(), 100u);
  EXPECT_EQ(ids[0].count(0), 0u);
}

}  // namespace
}  // namespace loci::plugin
