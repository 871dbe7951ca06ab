#include "tools/loci/doctor/library_package.h"

#include <gtest/gtest.h>

namespace loci::runner {
namespace {

TEST(LibraryPackageTest, KnowsWhatPluginsCommonlyNeed) {
  EXPECT_EQ(package_of("libdnnl.so.2"), "libdnnl2");
  EXPECT_EQ(package_of("libdnnl.so.3.4"), "libdnnl3");
  EXPECT_EQ(package_of("libcudart.so.12"), "libcudart12");
  EXPECT_EQ(package_of("libcublas.so.12"), "libcublas12");
  EXPECT_EQ(package_of("libcublasLt.so.12"), "libcublaslt12");
  EXPECT_EQ(package_of("libOpenCL.so.1"), "ocl-icd-libopencl1");
  EXPECT_EQ(package_of("libgomp.so.1"), "libgomp1");
  EXPECT_EQ(package_of("libgcc_s.so.1"), "libgcc-s1");
  EXPECT_EQ(package_of("libstdc++.so.6"), "libstdc++6");
}

TEST(LibraryPackageTest, GuessesNoOther) {
  for (const char* soname :
       {"libmine.so.1", "libgomp.so", "libgomp", "libgompx.so.1", "", ".so.1", "libgomp.so."}) {
    EXPECT_EQ(package_of(soname), "") << soname;
  }
}

TEST(LibraryPackageTest, SaysWhatToDo) {
  EXPECT_EQ(package_hint("libgomp.so.1"), "apt install libgomp1 for libgomp.so.1");
  EXPECT_EQ(package_hint("libmine.so.1"),
            "'apt-file search libmine.so.1' tells what package has it");
}

}  // namespace
}  // namespace loci::runner
