// LOCI_PUBLIC marks what libloci exports; everything else in it is hidden.
#pragma once

#define LOCI_PUBLIC __attribute__((visibility("default")))
