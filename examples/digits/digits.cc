// Trains a small convolutional classifier of handwritten digits, tests it on images that it never
// saw, and saves it for `loci run`.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <memory>
#include <random>

#include "dataset.h"
#include "options.h"

namespace {

constexpr std::size_t kBatch = 32;

struct Classifier {
  loci::Program main;
  loci::Program startup;
  loci::Program test;  // as main, without gradients and updates
  loci::Variable image;
  loci::Variable probabilities;
  loci::Variable digit;
  loci::Variable loss;
  loci::Variable accuracy;
};

loci::Variable convolve_and_pool(const loci::Variable& x, std::int64_t filters) {
  loci::Conv2dOptions same;
  same.padding_algorithm = "SAME";
  return loci::pool2d(loci::relu(loci::layers::conv2d(x, filters, /*size=*/3, same)));
}

Classifier build(double learning_rate) {
  Classifier model;
  const loci::ProgramGuard building(model.main, model.startup);
  model.image = loci::data("image", {-1, 1, digits::kSide, digits::kSide}, loci::kFloat32);
  const loci::Variable label = loci::data("label", {-1, 1}, loci::kInt64);

  const loci::Variable features = convolve_and_pool(convolve_and_pool(model.image, 16), 32);
  const loci::Variable hidden = loci::relu(loci::layers::fc(features, 64));
  const loci::Variable logits = loci::layers::fc(hidden, digits::kClasses);

  model.probabilities = loci::softmax(logits);
  model.probabilities.rename("probabilities");
  model.digit = loci::argmax(logits);
  model.digit.rename("digit");
  model.loss = loci::mean(loci::softmax_with_cross_entropy(logits, label));
  model.accuracy = loci::accuracy(logits, label);
  model.test = model.main.prune({model.image, label}, {model.loss, model.accuracy});
  loci::optimizer::SGD(learning_rate).minimize(model.loss);
  return model;
}

struct Score {
  double loss = 0;
  double accuracy = 0;
};

// Examples order[first] to order[last - 1]; a range of its own in a profile.
loci::Feed batch_of(const digits::Split& split, const std::vector<std::size_t>& order,
                    std::size_t first, std::size_t last) {
  const loci::ProfileRange range("batch");
  const std::vector<std::size_t> batch(order.begin() + static_cast<std::ptrdiff_t>(first),
                                       order.begin() + static_cast<std::ptrdiff_t>(last));
  return {{"image", split.images(batch)}, {"label", split.targets(batch)}};
}

Score train_epoch(loci::Executor& executor, const Classifier& model, const digits::Split& train,
                  std::mt19937& random) {
  std::vector<std::size_t> order = digits::all_of(train);
  std::shuffle(order.begin(), order.end(), random);
  Score sum;
  for (std::size_t first = 0; first < order.size(); first += kBatch) {
    const std::size_t last = std::min(first + kBatch, order.size());
    const auto fetched =
        executor.run(model.main, batch_of(train, order, first, last), {model.loss, model.accuracy});
    const auto weight = static_cast<double>(last - first) / static_cast<double>(order.size());
    sum.loss += weight * static_cast<double>(fetched[0].item<float>());
    sum.accuracy += weight * static_cast<double>(fetched[1].item<float>());
  }
  return sum;
}

Score evaluate(loci::Executor& executor, const Classifier& model, const digits::Split& test) {
  const std::vector<std::size_t> all = digits::all_of(test);
  const auto fetched =
      executor.run(model.test, {{"image", test.images(all)}, {"label", test.targets(all)}},
                   {model.loss, model.accuracy});
  return {static_cast<double>(fetched[0].item<float>()),
          static_cast<double>(fetched[1].item<float>())};
}

// The model for `loci run`, and test images to run it on.
void save(const Classifier& model, const digits::Split& test, const std::string& output) {
  loci::io::save_inference_model(output + "/model", model.main, {model.image},
                                 {model.digit, model.probabilities});
  std::vector<std::size_t> some = digits::all_of(test);
  some.resize(std::min<std::size_t>(some.size(), 10));
  loci::io::save_npy(output + "/images.npy", test.images(some));
  std::printf("Saved %s/model; the %zu images of %s/images.npy show", output.c_str(), some.size(),
              output.c_str());
  for (const std::size_t example : some) std::printf(" %d", static_cast<int>(test.labels[example]));
  std::printf("\n");
}

int run(const digits::Options& options) {
  const digits::Dataset data = digits::load(options.data);
  std::printf("%d training and %d test images\n", static_cast<int>(data.train.size()),
              static_cast<int>(data.test.size()));
  const Classifier model = build(options.learning_rate);
  loci::Executor executor(options.device);
  executor.run(model.startup);

  std::unique_ptr<loci::Profiler> profiler;
  if (!options.profile.empty()) {
    profiler = std::make_unique<loci::Profiler>(loci::ProfilerOptions().reporter(options.profile));
  }
  std::mt19937 random(1);  // the same order of examples in every run
  Score tested;
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    const Score trained = train_epoch(executor, model, data.train, random);
    tested = evaluate(executor, model, data.test);
    std::printf("epoch %2d  train loss %.4f accuracy %.4f  test loss %.4f accuracy %.4f\n", epoch,
                trained.loss, trained.accuracy, tested.loss, tested.accuracy);
  }
  profiler.reset();
  std::printf("test accuracy %.4f\n", tested.accuracy);
  save(model, data.test, options.output);
  if (tested.accuracy < options.require) {
    std::fprintf(stderr, "digits: test accuracy is below %.4f\n", options.require);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(digits::parse(argc, argv));
  } catch (const loci::Error& error) {
    std::fprintf(stderr, "digits: %s\n%s", error.what(), error.details().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "digits: %s\n", error.what());
  }
  return 1;
}
