// The client's buffers, as records fill them.
#pragma once

#include <cupti.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

namespace loci::cupti_double {

// Full buffers are given back by a thread of their own, as CUPTI does, and all of them by the
// thread that flushes. Any thread may call.
class Buffers {
 public:
  // So many of a hundred records, spread evenly, are lost.
  explicit Buffers(unsigned drop_percent) : drop_percent_(drop_percent) {}

  void set_callbacks(CUpti_BuffersCallbackRequestFunc request,
                     CUpti_BuffersCallbackCompleteFunc complete);
  [[nodiscard]] bool has_callbacks();
  // Asks the client for a buffer, if the record needs another, while no other thread can add:
  // a client that holds a lock of its own meanwhile may wait for ever, as with CUPTI.
  void add(const void* record, std::size_t bytes);
  // Returns when the client has all that was added before.
  void flush();
  // How many were lost since it was asked last.
  [[nodiscard]] std::size_t take_dropped();
  // Sets whether a record says how long the client took for a buffer.
  void tell_overhead(bool tells);

 private:
  struct Buffer {
    std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
    std::size_t used = 0;
    std::size_t records = 0;
    std::size_t most_records = 0;  // 0: as many as fit
  };

  [[nodiscard]] bool drops_next();
  [[nodiscard]] bool has_room(std::size_t bytes) const;
  void ask_client();
  void put(const void* record, std::size_t bytes);
  void retire();  // with the lock
  void give_back(std::unique_lock<std::mutex>& lock);
  void work();

  const unsigned drop_percent_;
  std::mutex mutex_;
  std::condition_variable changed_;
  CUpti_BuffersCallbackRequestFunc request_ = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
  Buffer current_;
  std::deque<Buffer> full_;
  int giving_back_ = 0;  // buffers that are with the client's callback
  unsigned towards_drop_ = 0;
  std::size_t dropped_ = 0;
  bool tells_overhead_ = false;
};

}  // namespace loci::cupti_double
