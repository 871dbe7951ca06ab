#include "plugins/reporter_html/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "plugins/reporter_html/page_files.h"

namespace loci::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PageTest, HoldsAllOfItsFiles) {
  const Page page = make_page();
  EXPECT_THAT(page.before, ::testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page.before, ::testing::EndsWith(R"(<script type="application/json" id="data">)"));
  EXPECT_THAT(page.after, ::testing::StartsWith("</script>"));
  for (const PageFile& file : page_files()) {
    if (file.folder == "page") continue;
    EXPECT_THAT(page.before + page.after, HasSubstr(std::string(file.text))) << file.name;
  }
  EXPECT_GE(page_files().size(), 20U);
}

TEST(PageTest, NamesNothingOutsideOfIt) {
  const Page page = make_page();
  const std::string text = page.before + page.after;
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  for (const char* way : {"https:", "src=\"", "@import", "url(", "fetch(", "XMLHttpRequest"}) {
    EXPECT_THAT(text, Not(HasSubstr(way)));
  }
}

// Scripts and styles end at the first tag that looks like their end.
TEST(PageTest, NoFileEndsItsElement) {
  for (const PageFile& file : page_files()) {
    if (file.folder == "page") continue;
    EXPECT_THAT(std::string(file.text), Not(HasSubstr("</s"))) << file.name;
  }
}

}  // namespace
}  // namespace loci::report
