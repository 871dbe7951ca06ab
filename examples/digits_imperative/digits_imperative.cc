// The classifier of the example "digits", trained step by step: the same model, data and numbers,
// as tensors instead of a program. What it has learnt is traced and saved for `loci run`.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <memory>
#include <random>
#include <vector>

#include "dataset.h"
#include "options.h"

namespace {

constexpr std::size_t kBatch = 32;

// Adds the layers of convolve_and_pool() of "digits".
void add_convolution(loci::nn::Sequential& model, std::int64_t channels, std::int64_t filters) {
  loci::Conv2dOptions same;
  same.padding_algorithm = "SAME";
  model.add<loci::nn::Conv2d>(channels, filters, /*kernel=*/3, same);
  model.add<loci::nn::ReLU>();
  model.add<loci::nn::MaxPool2d>();
}

std::unique_ptr<loci::nn::Sequential> build() {
  auto model = std::make_unique<loci::nn::Sequential>();
  add_convolution(*model, 1, 16);
  add_convolution(*model, 16, 32);
  model->add<loci::nn::Flatten>();
  model->add<loci::nn::Linear>(32 * (digits::kSide / 4) * (digits::kSide / 4), 64);
  model->add<loci::nn::ReLU>();
  model->add<loci::nn::Linear>(64, digits::kClasses);
  return model;
}

struct Score {
  double loss = 0;
  double accuracy = 0;
};

struct Batch {
  loci::Tensor images;
  loci::Tensor targets;
};

// Examples order[first] to order[last - 1]; a range of its own in a profile.
Batch batch_of(const digits::Split& split, const std::vector<std::size_t>& order, std::size_t first,
               std::size_t last, const loci::Place& place) {
  const loci::ProfileRange range("batch");
  const std::vector<std::size_t> batch(order.begin() + static_cast<std::ptrdiff_t>(first),
                                       order.begin() + static_cast<std::ptrdiff_t>(last));
  return {split.images(batch).to(place), split.targets(batch).to(place)};
}

Score train_epoch(loci::nn::Sequential& model, loci::optimizer::SGD& sgd,
                  const digits::Split& train, const loci::Place& place, std::mt19937& random) {
  model.train();
  const std::vector<loci::Tensor> parameters = model.parameters();
  std::vector<std::size_t> order = digits::all_of(train);
  std::shuffle(order.begin(), order.end(), random);
  Score sum;
  for (std::size_t first = 0; first < order.size(); first += kBatch) {
    const std::size_t last = std::min(first + kBatch, order.size());
    const Batch batch = batch_of(train, order, first, last, place);
    const loci::Tensor logits = model(batch.images);
    const loci::Tensor loss = loci::mean(loci::softmax_with_cross_entropy(logits, batch.targets));
    const loci::Tensor accuracy = loci::accuracy(logits.detach(), batch.targets);
    model.zero_grad();
    loss.backward();
    sgd.step(parameters);
    // The host waits here for the first time.
    const auto weight = static_cast<double>(last - first) / static_cast<double>(order.size());
    sum.loss += weight * static_cast<double>(loss.item<float>());
    sum.accuracy += weight * static_cast<double>(accuracy.item<float>());
  }
  return sum;
}

Score evaluate(loci::nn::Sequential& model, const digits::Split& test, const loci::Place& place) {
  model.eval();
  const loci::NoGrad scope;
  const std::vector<std::size_t> all = digits::all_of(test);
  const Batch batch = batch_of(test, all, 0, all.size(), place);
  const loci::Tensor logits = model(batch.images);
  const loci::Tensor loss = loci::mean(loci::softmax_with_cross_entropy(logits, batch.targets));
  return {static_cast<double>(loss.item<float>()),
          static_cast<double>(loci::accuracy(logits, batch.targets).item<float>())};
}

// The state of the model; another model that loads it gives the same digits for some test images.
void save_state(loci::nn::Sequential& model, const digits::Split& test,
                const digits::Options& options) {
  const std::string path = options.output + "/model.safetensors";
  loci::nn::save_parameters(path, model);
  const auto loaded = build();
  loci::nn::load_parameters(path, *loaded);
  loaded->to(options.device);
  const loci::NoGrad scope;
  std::vector<std::size_t> some = digits::all_of(test);
  some.resize(std::min<std::size_t>(some.size(), 10));
  const loci::Tensor digit = loci::argmax((*loaded)(test.images(some).to(options.device)));
  std::printf("Saved %s; the first %zu test images show", path.c_str(), some.size());
  for (const std::size_t example : some) std::printf(" %d", static_cast<int>(test.labels[example]));
  std::printf(", and the loaded model says");
  for (const std::int64_t each : digit.to_vector<std::int64_t>()) {
    std::printf(" %d", static_cast<int>(each));
  }
  std::printf("\n");
}

// The model as a program, which needs none of this code, and all test images to run it on.
void save_program(loci::nn::Sequential& model, const digits::Split& test,
                  const digits::Options& options) {
  model.eval();
  const loci::NoGrad scope;
  const auto classify = [&](const std::vector<loci::Tensor>& images) -> std::vector<loci::Tensor> {
    const loci::Tensor logits = model(images[0]);
    return {loci::argmax(logits), loci::softmax(logits)};
  };
  loci::TraceOptions any_batch;
  any_batch.symbolic_batch = true;
  any_batch.input_names = {"image"};
  any_batch.output_names = {"digit", "probabilities"};
  const loci::Tensor images = test.images(digits::all_of(test));
  loci::compile(classify, {images.to(options.device)}, any_batch).save(options.output + "/model");
  loci::io::save_npy(options.output + "/test_images.npy", images);
  std::printf("Saved %s/model; the test images are in %s/test_images.npy\n", options.output.c_str(),
              options.output.c_str());
}

int run(const digits::Options& options) {
  const digits::Dataset data = digits::load(options.data);
  std::printf("%d training and %d test images\n", static_cast<int>(data.train.size()),
              static_cast<int>(data.test.size()));
  const auto model = build();
  model->to(options.device);
  std::printf("%s\n", model->to_string().c_str());
  loci::optimizer::SGD sgd(options.learning_rate);

  std::unique_ptr<loci::Profiler> profiler;
  if (!options.profile.empty()) {
    profiler = std::make_unique<loci::Profiler>(loci::ProfilerOptions().reporter(options.profile));
  }
  std::mt19937 random(1);  // the same order of examples in every run
  Score tested;
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    const Score trained = train_epoch(*model, sgd, data.train, options.device, random);
    tested = evaluate(*model, data.test, options.device);
    std::printf("epoch %2d  train loss %.4f accuracy %.4f  test loss %.4f accuracy %.4f\n", epoch,
                trained.loss, trained.accuracy, tested.loss, tested.accuracy);
  }
  profiler.reset();
  std::printf("test accuracy %.4f\n", tested.accuracy);
  save_state(*model, data.test, options);
  save_program(*model, data.test, options);
  if (tested.accuracy < options.require) {
    std::fprintf(stderr, "digits_imperative: test accuracy is below %.4f\n", options.require);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(digits::parse(argc, argv));
  } catch (const loci::Error& error) {
    std::fprintf(stderr, "digits_imperative: %s\n%s", error.what(), error.details().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "digits_imperative: %s\n", error.what());
  }
  return 1;
}
