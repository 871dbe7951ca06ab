// Threads that cannot be started, as where the system has no more of them.
#pragma once

namespace loci::test {

// While it lives the calling thread starts no other one.
class RefusedThreads {
 public:
  RefusedThreads();
  ~RefusedThreads();
  RefusedThreads(const RefusedThreads&) = delete;
  RefusedThreads& operator=(const RefusedThreads&) = delete;
  // Where a sanitizer starts threads itself, none can be refused.
  static bool can();
};

}  // namespace loci::test
