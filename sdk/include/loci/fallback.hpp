// A policy says what happens where a device has no kernel for an op.
#pragma once

#include <loci/export.hpp>

namespace loci {
inline namespace v0 {

// Run it on the CPU silently; say so in the log, once for a program, or for an op and a place in
// imperative code; or throw Error(kPolicy).
enum class FallbackPolicy { kAllow, kWarn, kError };

// The policy of the ops that the current thread calls while it lives; without one it is kWarn.
// Nests; the innermost holds. Programs have CompileOptions::fallback.
class LOCI_PUBLIC FallbackGuard {
 public:
  explicit FallbackGuard(FallbackPolicy policy);
  ~FallbackGuard();
  FallbackGuard(const FallbackGuard&) = delete;
  FallbackGuard& operator=(const FallbackGuard&) = delete;

 private:
  FallbackPolicy outer_;
};

}  // namespace v0
}  // namespace loci
