// Which sanitizer this is built with, whatever the compiler calls it.
#pragma once

#ifndef __has_feature
#define LOCI_HAS_FEATURE(name) 0
#else
#define LOCI_HAS_FEATURE(name) __has_feature(name)
#endif

#if defined(__SANITIZE_ADDRESS__) || LOCI_HAS_FEATURE(address_sanitizer)
#define LOCI_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) || LOCI_HAS_FEATURE(thread_sanitizer)
#define LOCI_TSAN 1
#endif
