// A program of threads that says which of them hangs, and in what, instead of hanging.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace loci::soak {

// Threads tell it what they begin and end. Once one is at something for longer than its patience,
// the watch calls `on_hang`, once, with a line for each thread that is at something, the longest
// first. Thread-safe.
class Watch {
 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    const std::string* what;
    long thread;  // as the system numbers it
    Clock::time_point since;
  };

 public:
  using OnHang = std::function<void(const std::string& lines)>;

  Watch(std::chrono::milliseconds patience, OnHang on_hang);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // The calling thread is at it for as long as this lives. The text outlives it.
  class Doing {
   public:
    Doing(Watch& watch, const std::string& what);
    ~Doing();
    Doing(const Doing&) = delete;
    Doing& operator=(const Doing&) = delete;

   private:
    Watch& watch_;
    std::list<Entry>::iterator entry_;
  };

 private:
  void look();
  [[nodiscard]] std::string lines() const;  // with the lock

  const std::chrono::milliseconds patience_;
  const OnHang on_hang_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> doing_;  // the earliest first
  bool ends_ = false;
  std::thread thread_;
};

// Writes the lines and where all threads of the process are to standard error, and ends the
// process with the exit code 3.
[[noreturn]] void end_hung(const std::string& lines);

}  // namespace loci::soak
