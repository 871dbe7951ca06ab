// The intrinsics of x86-64, without the warnings of GCC 12 about its own: those of AVX-512 begin
// with a vector that is not initialised on purpose.
#pragma once

#include "plugins/kernels/isa.h"

#if LOCI_WIDE_ISA
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif
