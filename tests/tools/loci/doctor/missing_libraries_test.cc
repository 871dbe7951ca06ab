#include "tools/loci/doctor/missing_libraries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MissingLibrariesTest, ReadsAListing) {
  EXPECT_THAT(not_found_in("\tlinux-vdso.so.1 (0x00007ffd)\n"
                           "\tlibcudart.so.12 => not found\n"
                           "\tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n"
                           "\tlibmine.so.1 => not found\n"
                           "\tlibcudart.so.12 => not found\n"),
              ElementsAre("libcudart.so.12", "libmine.so.1"));
  EXPECT_THAT(not_found_in("\tstatically linked\n"), IsEmpty());
  EXPECT_THAT(not_found_in(" => not found\n"), IsEmpty());
  EXPECT_THAT(not_found_in(""), IsEmpty());
}

TEST(MissingLibrariesTest, AsksTheDynamicLinker) {
  EXPECT_THAT(missing_libraries("/proc/self/exe"), IsEmpty());
  EXPECT_THAT(missing_libraries("/no/such/library.so"), IsEmpty());
}

}  // namespace
}  // namespace loci::runner
