// Loci as a library of an application: shows the devices, trains a small model on the best of them,
// saves it, and runs what was saved as a service would.
//
//   link_application [--device P] [--model DIR]
#include <cmath>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Options {
  std::string device;  // empty: an accelerator if there is one, else the CPU
  std::string model = "line.loci";
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::runtime_error(name + " needs a value");
    if (name == "--device") {
      options.device = argv[i + 1];
    } else if (name == "--model") {
      options.model = argv[i + 1];
    } else {
      throw std::runtime_error(name + " is not one of --device, --model");
    }
  }
  return options;
}

void show_devices() {
  for (const loci::Place& place : loci::devices()) {
    const loci::DeviceProperties device = loci::device_properties(place);
    std::printf("%s: %s (%s), %.1f GiB, %u operators, by %s\n", place.to_string().c_str(),
                device.name.c_str(), device.arch.c_str(),
                static_cast<double>(device.total_memory) / (1024.0 * 1024.0 * 1024.0),
                device.operators, device.plugin.c_str());
  }
}

loci::Place choose_device(const Options& options) {
  if (options.device.empty()) return loci::is_available("gpu") ? "gpu" : "cpu";
  const loci::Place place(options.device);
  // Throws, with the devices that there are and why plugins do not bring this one.
  if (!loci::is_available(place)) (void)loci::device_properties(place);
  return place;
}

// y = 3 x1 - 2 x2 + 1 at the corners of a square.
const std::vector<float> kInputs{0, 0, 0, 1, 1, 0, 1, 1};
const std::vector<float> kTargets{1, -1, 4, 2};

// Fits the plane and saves what computes y from x.
void train_and_save(const loci::Place& place, const std::string& directory) {
  const loci::Program main_program;
  const loci::Program startup;
  const loci::ProgramGuard building(main_program, startup);
  const loci::Variable x = loci::data("x", {-1, 2}, loci::kFloat32);
  const loci::Variable target = loci::data("target", {-1, 1}, loci::kFloat32);
  const loci::Variable y = loci::layers::fc(x, 1, "plane");
  y.rename("y");
  const loci::Variable error = loci::elementwise_sub(y, target);
  const loci::Variable loss = loci::mean(loci::elementwise_mul(error, error));
  loci::optimizer::SGD(/*learning_rate=*/0.3).minimize(loss);

  const loci::Scope scope;
  loci::Executor executor(place, {}, scope);
  executor.run(startup);
  const loci::Tensor inputs = loci::Tensor::from(kInputs, {4, 2});
  const loci::Tensor targets = loci::Tensor::from(kTargets, {4, 1});
  float last = 0;
  for (int step = 0; step < 300; ++step) {
    const auto fetched = executor.run(main_program, {{"x", inputs}, {"target", targets}}, {loss});
    last = fetched[0].item<float>();
  }
  std::printf("trained at %s: loss %g, %llu bytes in use\n", executor.place().to_string().c_str(),
              static_cast<double>(last),
              static_cast<unsigned long long>(loci::memory_use(executor.place()).in_use));
  loci::io::save_inference_model(directory, main_program, {x}, {y}, scope);
}

// Loads the program and its parameters, and returns the largest error of its results.
double run_saved(const loci::Place& place, const std::string& directory) {
  const loci::io::Model model = loci::io::load_model(directory);
  const loci::Scope scope;
  loci::io::load_parameters(directory, model.main, scope);
  loci::Executor executor(place, {}, scope);
  const auto fetched =
      executor.run(model.main, {{"x", loci::Tensor::from(kInputs, {4, 2})}}, {"y"});
  std::printf("y = %s\n", fetched[0].to_string().c_str());
  double worst = 0;
  const std::vector<float> results = fetched[0].to_vector<float>();
  for (std::size_t i = 0; i < results.size(); ++i) {
    worst = std::fmax(
        worst, std::fabs(static_cast<double>(results[i]) - static_cast<double>(kTargets[i])));
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = read_options(argc, argv);
    show_devices();
    const loci::Place place = choose_device(options);
    train_and_save(place, options.model);
    const double worst = run_saved(place, options.model);
    std::printf("largest error %g\n", worst);
    return worst < 1e-2 ? 0 : 1;
  } catch (const loci::Error& error) {
    std::fprintf(stderr, "error: %s\n%s\n", error.what(), error.details().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return 2;
}
