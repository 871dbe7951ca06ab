// A process that ends in one of many ways, with work queued or without; see process_end_test.cc.
//
//   process_end_program END KERNEL PLACE queued|idle
//
// Exit code 7 where the END has one. Prints "called" before it, which stays in stdio's buffer, and
// what a destructor sees of the result that main() left: "late: 3" or "late: <error>".
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <loci/loci.hpp>
#include <map>
#include <string>
#include <thread>

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

// Of matrices of 1/n: every product is the same matrix again.
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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 || works().count(argv[2]) == 0) {
    std::fprintf(stderr, "usage: process_end_program END KERNEL PLACE queued|idle\n");
    return 2;
  }
  return end_by(argv[1], works().at(argv[2]), argv[3], argv[4] == std::string("queued"));
}
