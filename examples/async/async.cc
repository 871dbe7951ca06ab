// Ops return before their work is done, and work on two devices overlaps by itself: the programs of
// the tutorial on asynchronous computation and automatic parallelism.
//
//   build/release/bin/async [FIRST [SECOND [PRODUCTS [SIDE]]]]
//
// FIRST and SECOND are two places, sim:0 and sim:1 unless they are given; PRODUCTS is the length of
// the loops that run beside each other, 200 (the tutorial's is 20000); SIDE that of the matrices in
// the first program, 500 (the tutorial's is 1000). Fails unless the loop of products takes less
// time than the wait for them, and both devices together less than one after the other.
//
// Without LOCI_SIM in the environment the software accelerator takes two milliseconds for every op,
// so that what the host waits for is to be seen, whatever processor stands in for the devices.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <loci/loci.hpp>
#include <stdexcept>
#include <string>

namespace {

constexpr std::int64_t kSide = 100;  // of the matrices that run on two devices

struct Options {
  loci::Place first = "sim:0";
  loci::Place second = "sim:1";
  std::int64_t products = 200;
  std::int64_t side = 500;
};

std::int64_t positive(const char* text) {
  const std::int64_t value = std::strtoll(text, nullptr, 10);
  if (value <= 0) throw std::invalid_argument("usage: async [FIRST [SECOND [PRODUCTS [SIDE]]]]");
  return value;
}

Options read_options(int argc, char** argv) {
  Options options;
  if (argc > 1) options.first = argv[1];
  if (argc > 2) options.second = argv[2];
  if (argc > 3) options.products = positive(argv[3]);
  if (argc > 4) options.side = positive(argv[4]);
  if (options.first == options.second) {
    throw std::invalid_argument("FIRST and SECOND are both " + options.first.to_string());
  }
  return options;
}

// Prints how long the body takes, and returns the seconds.
template <class Body>
double timed(const char* label, const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("%s time: %.4f sec\n", label, elapsed.count());
  return elapsed.count();
}

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// Ten products of random matrices: step by step, and enqueued.
void compute_asynchronously(const loci::Place& place, std::int64_t side) {
  const auto ten_products = [&] {
    for (int i = 0; i < 10; ++i) {
      const loci::Tensor a = loci::randn({side, side}, 0.0, 1.0, loci::kFloat32, place);
      const loci::Tensor b = loci::matmul(a, a);
    }
  };
  ten_products();  // warms up
  loci::synchronize(place);

  timed("Step by step.", [&] {
    const loci::SerialMode serial;
    ten_products();
  });
  const double loop = timed("Enqueued.", ten_products);
  const double wait = timed("Then waited for.", [&] { loci::synchronize(place); });
  require(loop < wait, "the loop of products took longer than the wait for its work");
}

void run(const loci::Tensor& x, std::int64_t products) {
  for (std::int64_t i = 0; i < products; ++i) const loci::Tensor y = loci::matmul(x, x);
}

// Runs one loop on each of two devices, one after the other and side by side.
void run_in_parallel(const Options& options) {
  const auto random = [](const loci::Place& place) {
    return loci::rand({kSide, kSide}, 0.0, 1.0, loci::kFloat32, place);
  };
  const loci::Tensor x1 = random(options.first);
  const loci::Tensor x2 = random(options.second);
  run(x1, 1);  // warms up
  run(x2, 1);
  loci::synchronize();

  const double first = timed("Run on GPU1.", [&] {
    run(x1, options.products);
    loci::synchronize(options.first);
  });
  const double second = timed("Then run on GPU2.", [&] {
    run(x2, options.products);
    loci::synchronize(options.second);
  });
  const double both = timed("Run on both GPU1 and GPU2 in parallel.", [&] {
    run(x1, options.products);
    run(x2, options.products);
    loci::synchronize();
  });
  require(both < first + second, "both devices took longer together than one after the other");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (std::getenv("LOCI_SIM") == nullptr) loci::config::set("SIM", "launch_us=2000");
    const Options options = read_options(argc, argv);
    std::printf("GPU1 is %s, GPU2 is %s\n", options.first.to_string().c_str(),
                options.second.to_string().c_str());
    compute_asynchronously(options.first, options.side);
    run_in_parallel(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "async: %s\n", error.what());
    return 1;
  }
}
