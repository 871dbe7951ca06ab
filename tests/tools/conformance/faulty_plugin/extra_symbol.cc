// Seen by every library of the process.
extern "C" __attribute__((visibility("default"))) int loci_test_extra_symbol() { return 0; }
