/* Leaves a mark when the library is mapped, as any static initialiser of a plugin would. */
#define _POSIX_C_SOURCE 200112L
#include <stdlib.h>

__attribute__((constructor)) static void leave_mark(void) {
  setenv("LOCI_TEST_MAPPED", "1", /*overwrite=*/1);
}
