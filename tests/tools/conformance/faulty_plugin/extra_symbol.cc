// Seen by every library of the process.
#define LOCI_TEST_SEEN extern "C" __attribute__((visibility("default")))

LOCI_TEST_SEEN int loci_test_extra_a() { return 0; }
LOCI_TEST_SEEN int loci_test_extra_b() { return 0; }
LOCI_TEST_SEEN int loci_test_extra_c() { return 0; }
LOCI_TEST_SEEN int loci_test_extra_d() { return 0; }
LOCI_TEST_SEEN int loci_test_extra_e() { return 0; }
