#include "tools/conformance/verify/order/hand_over_checks.h"

#include <atomic>
#include <exception>
#include <functional>
#include <thread>

#include "tools/conformance/verify/order/order_rig.h"

namespace loci::verify {
namespace {

constexpr std::uint64_t kPiece = 64;
constexpr std::uint64_t kStep = 0x0101010101010101;

// A chain of work in one stream, each step of which depends on those before: a fill of `passed`, a
// copy of it to `kept`, a fill by something else, and a copy of what was kept into the log.
class Chain {
 public:
  Chain(OpenDevice& device, Stream& stream, std::uint64_t links)
      : device_(device),
        stream_(stream),
        links_(links),
        passed_(device, kPiece),
        kept_(device, kPiece),
        log_(device, links * kPiece),
        event_(device) {
    device.put(log_.at(), Bytes(log_.bytes(), 0), stream.get());
  }

  static constexpr std::uint64_t kStepsOfLink = 5;
  [[nodiscard]] std::uint64_t steps() const { return links_ * kStepsOfLink; }

  void enqueue(std::uint64_t step) {
    const std::uint64_t link = step / kStepsOfLink;
    switch (step % kStepsOfLink) {
      case 0: return device_.fill(passed_.at(), kPiece, value(link), 8, stream_.get());
      case 1:
        return static_cast<void>(device_.move(kept_.at(), passed_.at(), kPiece, stream_.get()));
      case 2: return device_.fill(passed_.at(), kPiece, 0, 8, stream_.get());
      case 3: {
        void* target = log_.at(link * kPiece);
        return static_cast<void>(device_.move(target, kept_.at(), kPiece, stream_.get()));
      }
      default: event_.record(stream_); return stream_.wait(event_.get());
    }
  }

  // Waits for the stream.
  void expect(const char* how) {
    Bytes want;
    for (std::uint64_t link = 0; link < links_; ++link) {
      want.insert(want.end(), kPiece, static_cast<std::uint8_t>(value(link)));
    }
    expect_bytes(device_.get(log_.at(), want.size(), stream_.get()), want,
                 fmt::format("{}, and their work is not done in its order", how));
  }

 private:
  static std::uint64_t value(std::uint64_t link) { return (1 + link % 250) * kStep; }

  OpenDevice& device_;
  Stream& stream_;
  std::uint64_t links_;
  Memory passed_;
  Memory kept_;
  Memory log_;
  Event event_;
};

// Runs `body(0)` here and `body(1)` in another thread, and throws what either throws.
void run_both(const std::function<void(int)>& body) {
  std::exception_ptr error;
  std::thread other([&] {
    try {
      body(1);
    } catch (...) {
      error = std::current_exception();
    }
  });
  try {
    body(0);
  } catch (...) {
    other.join();
    throw;
  }
  other.join();
  if (error) std::rethrow_exception(error);
}

// Two that take turns, each step as soon as the one before was enqueued. Either of them waits at
// the end, while the other one is there and does nothing.
void check_handed_over(OpenDevice& device) {
  static constexpr std::uint64_t kLinks = 120;
  device.require_streams();
  Stream stream(device);
  for (const int last : {0, 1}) {
    Chain chain(device, stream, kLinks);
    std::atomic<std::uint64_t> turn{0};
    std::atomic<bool> is_over{false};
    run_both([&](int number) {
      const auto yield_until = [&](const auto& condition) {
        while (!condition() && !is_over) std::this_thread::yield();
      };
      struct Over {
        std::atomic<bool>& flag;
        ~Over() { flag = true; }
      };
      const Over over{is_over};
      for (std::uint64_t step = 0; step < chain.steps() && !is_over; ++step) {
        if (step % 2 != static_cast<std::uint64_t>(number)) continue;
        yield_until([&] { return turn == step; });
        if (is_over) return;
        chain.enqueue(step);
        ++turn;
      }
      yield_until([&] { return turn == chain.steps() && number == last; });
      if (number == last) chain.expect("two threads use one stream by turns");
    });
  }
}

// Each enqueues a step, and ends before the next one begins.
void check_ended_threads(OpenDevice& device) {
  static constexpr std::uint64_t kLinks = 12;
  device.require_streams();
  Stream stream(device);
  Chain chain(device, stream, kLinks);
  for (std::uint64_t step = 0; step < chain.steps(); ++step) {
    std::exception_ptr error;
    std::thread user([&] {
      try {
        chain.enqueue(step);
      } catch (...) {
        error = std::current_exception();
      }
    });
    user.join();
    if (error) std::rethrow_exception(error);
  }
  chain.expect("threads that end use one stream one after the other");
}

}  // namespace

std::vector<Check> hand_over_checks(const std::shared_ptr<Bench>& bench) {
  return {
      on_bench("order/stream_handed_over", bench, check_handed_over),
      on_bench("order/stream_of_ended_threads", bench, check_ended_threads),
  };
}

}  // namespace loci::verify
