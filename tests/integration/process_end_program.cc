// A process that ends in one of many ways, with work queued or without; see process_end_test.cc.
//
//   process_end_program END KERNEL PLACE queued|idle
//   process_end_program END STEP PLACE meanwhile
//
// The second ends while two threads that nobody joins do the step again and again, and catch
// nothing; destructors take longer than that takes.
//
// Exit code 7 where the END has one. Prints "called" before it, which stays in stdio's buffer, and
// what a destructor sees of the result that main() left: "late: 3" or "late: <error>".
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <loci/captured_function.hpp>
#include <loci/graph.hpp>
#include <loci/loci.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using loci::Place;
using loci::Tensor;

constexpr int kCode = 7;
constexpr int kSteps = 30;

using Work = std::function<Tensor(const Place&)>;

// Enough elements that no op runs on the calling thread.
Tensor chain_of_adds(const Place& place) {
  Tensor sum = loci::zeros({1 << 18}, loci::kFloat32, place);
  for (int i = 0; i < kSteps; ++i) sum = loci::relu(sum) + 0.1;
  return sum;
}

// The matrices have elements 1/n: every product is the same matrix again.
Tensor chain_of_products(const Place& place) {
  constexpr std::int64_t kSide = 192;
  const Tensor factor = loci::full({kSide, kSide}, 1.0 / kSide, loci::kFloat32, place);
  Tensor product = loci::full({kSide, kSide}, 3.0, loci::kFloat32, place);
  for (int i = 0; i < kSteps; ++i) product = loci::matmul(product, factor);
  return product;
}

Tensor chain_of_convolutions(const Place& place) {
  constexpr std::int64_t kChannels = 16;
  const Tensor filter =
      loci::full({kChannels, kChannels, 1, 1}, 1.0 / kChannels, loci::kFloat32, place);
  Tensor image = loci::full({2, kChannels, 48, 48}, 3.0, loci::kFloat32, place);
  for (int i = 0; i < kSteps; ++i) image = loci::conv2d(image, filter);
  return image;
}

Tensor chain_of_softmaxes(const Place& place) {
  Tensor x = loci::zeros({512, 64}, loci::kFloat32, place);
  for (int i = 0; i < kSteps; ++i) x = loci::softmax(x);
  return x * (3.0 * 64);
}

const std::map<std::string, Work>& works() {
  static const auto& all = *new std::map<std::string, Work>{{"portable", chain_of_adds},
                                                            {"matmul", chain_of_products},
                                                            {"conv2d", chain_of_convolutions},
                                                            {"softmax", chain_of_softmaxes}};
  return all;
}

using Step = std::function<void()>;
using MakeStep = std::function<Step(const Place&)>;

std::vector<Tensor> product_of(const std::vector<Tensor>& in) {
  return {loci::matmul(in[0], in[0]) * 0.01};
}
Tensor square(const Place& place) { return loci::full({64, 64}, 0.5, loci::kFloat32, place); }

Step make_ops(const Place& place) {
  return [x = square(place)] { (void)product_of({x}); };
}
Step make_small_ops(const Place& place) {
  return [x = loci::ones({4}, loci::kFloat32, place)] { (void)(x + 1.0); };
}
Step make_reads(const Place& place) {
  return [x = square(place)] { (void)product_of({x})[0].to_vector<float>(); };
}
Step make_gradients(const Place& place) {
  return [x = square(place)] {
    Tensor w = loci::clone(x);
    w.set_requires_grad();
    loci::reduce_mean(loci::tanh(loci::matmul(w, w))).backward();
  };
}
Step make_replays(const Place& place) {
  auto graph = std::make_shared<loci::Graph>(place);
  const Tensor x = square(place);
  graph->capture_begin();
  const Tensor y = product_of({x})[0];
  graph->capture_end();
  return [graph, x, y] { graph->replay(); };
}
Step make_captured(const Place& place) {
  auto step =
      std::make_shared<loci::CapturedFunction>(&product_of, loci::CaptureOptions{.place = place});
  return [step, x = square(place)] { (void)(*step)({x}); };
}
Step make_compiled(const Place& place) {
  const Tensor x = square(place);
  return [step = loci::compile(&product_of, {x}), x] { (void)step({x}); };
}
Step make_programs(const Place& place) {
  const loci::Program main;
  loci::Variable y;
  {
    const loci::ProgramGuard guard(main, loci::Program());
    const loci::Variable x = loci::fill_constant({64, 64}, 0.5);
    y = loci::matmul(x, x);
  }
  auto executor = std::make_shared<loci::Executor>(place);
  return [executor, main, y] { (void)executor->run(main, {}, {y}); };
}
Step make_captures(const Place& place) {
  return [x = square(place), place] {
    loci::Graph graph(place);
    graph.capture_begin();
    const Tensor y = product_of({x})[0];
    graph.capture_end();
    graph.replay();
  };
}
Step make_streams(const Place& place) {
  return [x = square(place), place] {
    const loci::Stream stream(place);
    const loci::StreamGuard guard(stream);
    const Tensor y = product_of({x})[0];
    stream.launch_host_function([] {});
    stream.synchronize();
  };
}
Step make_copies(const Place& place) {
  return [x = square(place), place] { (void)x.to("cpu").to(place).to_vector<float>(); };
}
// A process has one session: the other thread records nothing.
Step make_profiles(const Place& place) {
  static std::atomic<bool> is_taken{false};
  if (is_taken.exchange(true)) return make_ops(place);
  return [x = square(place)] {
    loci::Profiler profiler(loci::ProfilerOptions().no_reporter());
    (void)product_of({x});
    profiler.step();
  };
}

const std::map<std::string, MakeStep>& steps() {
  static const auto& all = *new std::map<std::string, MakeStep>{
      {"ops", make_ops},           {"small_ops", make_small_ops},
      {"reads", make_reads},       {"gradients", make_gradients},
      {"replays", make_replays},   {"captured", make_captured},
      {"compiled", make_compiled}, {"programs", make_programs},
      {"captures", make_captures}, {"streams", make_streams},
      {"copies", make_copies},     {"profiles", make_profiles}};
  return all;
}

Tensor& left_result() {
  static Tensor& result = *new Tensor();
  return result;
}

void print_value(const char* name, const std::function<Tensor()>& value) {
  try {
    std::printf("%s: %.3g\n", name, value().to_vector<float>().front());
  } catch (const loci::Error& error) {
    std::printf("%s: %s\n", name, error.what());
  }
}

// Made before any library is loaded, so that it ends after all of them.
struct Late {
  std::function<void()> work;
  ~Late() {
    if (left_result().defined()) print_value("late", [] { return left_result(); });
    if (work) work();
  }
};
Late late;

void leave(const Work& work, const Place& place, bool queued) {
  left_result() = work(place);
  if (!queued) loci::synchronize();
  std::printf("called\n");
}

int end_by(const std::string& end, const Work& work, const Place& place, bool queued) {
  if (end == "thread") {
    std::thread([&] { leave(work, place, queued); }).join();
    return kCode;
  }
  if (end == "exit_of_worker") {
    std::thread([&] {
      leave(work, place, queued);
      std::exit(kCode);
    }).join();
  }
  if (end == "exit_of_stranger") {
    work(place);  // it has to have run before
    loci::synchronize();
  }
  leave(work, place, queued);
  if (end == "exit") std::exit(kCode);
  if (end == "quick_exit") std::quick_exit(kCode);
  if (end == "signal") std::raise(SIGTERM);
  if (end == "exit_of_stranger") {
    // Never used Loci.
    std::thread([] { std::exit(kCode); }).join();
  }
  if (end == "pthread_exit") {
    std::thread([] {
      ::usleep(20'000);
      print_value("after main", [] { return left_result() + 1.0; });
      std::exit(kCode);
    }).detach();
    ::pthread_exit(nullptr);
  }
  if (end == "static") {
    late.work = [work, place] { print_value("op", [&] { return work(place); }); };
  }
  return kCode;
}

void sleep_for_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

int end_meanwhile(const std::string& end, const MakeStep& make, const Place& place) {
  static std::atomic<int> rounds{0};
  std::atexit([] { sleep_for_ms(20); });  // of the application, which takes its time
  for (int i = 0; i < 2; ++i) {
    std::thread([&make, place] {
      const loci::DeviceGuard guard(place);
      const Step step = make(place);
      while (true) {
        step();
        rounds.fetch_add(1);
      }
    }).detach();
  }
  while (rounds.load() < 6) sleep_for_ms(1);
  if (end == "exit") std::exit(kCode);
  if (end == "quick_exit") std::quick_exit(kCode);
  if (end == "exit_of_worker") {
    std::thread([&] {
      (void)chain_of_adds(place);
      std::exit(kCode);
    }).join();
  }
  if (end == "exit_of_stranger") std::thread([] { std::exit(kCode); }).join();
  return kCode;
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_meanwhile = argc == 5 && argv[4] == std::string("meanwhile");
  if (is_meanwhile && steps().count(argv[2]) != 0) {
    return end_meanwhile(argv[1], steps().at(argv[2]), argv[3]);
  }
  if (argc != 5 || works().count(argv[2]) == 0) {
    std::fprintf(stderr, "usage: process_end_program END KERNEL PLACE queued|idle\n");
    return 2;
  }
  return end_by(argv[1], works().at(argv[2]), argv[3], argv[4] == std::string("queued"));
}
