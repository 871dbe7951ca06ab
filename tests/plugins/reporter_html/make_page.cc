// make_page EVENTS FILE: writes the page of a sample profile, to be opened in a browser.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "plugins/reporter_html/html_reporter.h"
#include "tests/plugins/reporter_html/sample_profile.h"
#include "tests/support/reporter_driver.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: make_page EVENTS FILE\n";
    return 2;
  }
  const auto profile = loci::testing::sample_profile(std::strtoull(argv[1], nullptr, 10));
  std::ofstream file(argv[2], std::ios::binary);
  file << loci::testing::report_of<loci::report::HtmlReporter>(profile.abi());
  return file.good() ? 0 : 1;
}
