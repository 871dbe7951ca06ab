#include "training.h"

#include <chrono>
#include <functional>
#include <loci/loci.hpp>

namespace training {
namespace {

constexpr std::size_t kBatch = 32;
constexpr double kRate = 0.1;
// Steps before the capture: what is done once, such as bringing parameters, is not to be captured.
constexpr int kWarmUp = 2;

std::vector<std::size_t> batch_of(const digits::Split& data, int step) {
  std::vector<std::size_t> examples;
  for (std::size_t i = 0; i < kBatch; ++i) {
    examples.push_back((static_cast<std::size_t>(step) * kBatch + i) % data.labels.size());
  }
  return examples;
}

// The functions in which the two ways to write a step differ.
struct Trainer {
  std::function<void(const loci::Tensor& images, const loci::Tensor& targets)> set_batch;
  std::function<void()> step;
  std::function<float()> loss;
};

Result run(const digits::Split& data, const loci::Place& place, Steps steps, int count,
           const Trainer& trainer) {
  using Clock = std::chrono::steady_clock;
  Result result;
  loci::Graph graph(place);
  Clock::duration host{};
  for (int i = 0; i < count; ++i) {
    const std::vector<std::size_t> batch = batch_of(data, i);
    trainer.set_batch(data.images(batch), data.targets(batch));
    if (steps == Steps::kCaptured && i == kWarmUp) {
      graph.capture_begin();
      trainer.step();
      graph.capture_end();  // nothing has been computed
    }
    loci::synchronize(place);
    const Clock::time_point start = Clock::now();
    if (steps == Steps::kCaptured && i >= kWarmUp) {
      graph.replay();
    } else {
      trainer.step();
    }
    if (i >= kWarmUp) host += Clock::now() - start;
    result.losses.push_back(trainer.loss());
  }
  result.host_us = std::chrono::duration<double, std::micro>(host).count() / (count - kWarmUp);
  return result;
}

}  // namespace

Result imperative(const digits::Split& data, const loci::Place& place, Steps steps, int count) {
  loci::seed(1);
  loci::nn::Sequential model;
  loci::Conv2dOptions same;
  same.padding_algorithm = "SAME";
  model.add<loci::nn::Conv2d>(1, 16, /*kernel=*/3, same);
  model.add<loci::nn::ReLU>();
  model.add<loci::nn::MaxPool2d>();
  model.add<loci::nn::Flatten>();
  model.add<loci::nn::Linear>(16 * (digits::kSide / 2) * (digits::kSide / 2), digits::kClasses);
  model.to(place);
  loci::optimizer::SGD sgd(kRate);
  const std::vector<loci::Tensor> parameters = model.parameters();
  // Their addresses stay, and are those of the capture: batches are copied into them.
  const loci::Tensor images = data.images(batch_of(data, 0)).to(place);
  const loci::Tensor targets = data.targets(batch_of(data, 0)).to(place);
  loci::Tensor loss;
  return run(data, place, steps, count,
             {[&](const loci::Tensor& batch, const loci::Tensor& labels) {
                images.copy_(batch);
                targets.copy_(labels);
              },
              [&] {
                model.zero_grad();
                loss = loci::mean(loci::softmax_with_cross_entropy(model(images), targets));
                loss.backward();
                sgd.step(parameters);
              },
              [&] { return loss.item<float>(); }});
}

Result of_program(const digits::Split& data, const loci::Place& place, Steps steps, int count) {
  loci::config::set_seed(1);
  loci::Program main;
  loci::Program startup;
  {
    const loci::ProgramGuard building(main, startup);
    const auto batch = static_cast<std::int64_t>(kBatch);
    const loci::Variable image =
        loci::data("image", {batch, 1, digits::kSide, digits::kSide}, loci::kFloat32);
    const loci::Variable label = loci::data("label", {batch, 1}, loci::kInt64);
    image.set_persistable(true);  // else nothing could be given to it without a feed
    label.set_persistable(true);
    loci::Conv2dOptions same;
    same.padding_algorithm = "SAME";
    const loci::Variable features =
        loci::pool2d(loci::relu(loci::layers::conv2d(image, 16, /*size=*/3, same)));
    const loci::Variable logits = loci::layers::fc(features, digits::kClasses);
    const loci::Variable loss = loci::mean(loci::softmax_with_cross_entropy(logits, label));
    loss.rename("loss");
    loss.set_persistable(true);  // else nothing could be read without a fetch
    loci::optimizer::SGD(kRate).minimize(loss);
  }
  const loci::Scope scope;
  loci::Executor executor(place, {}, scope);
  executor.run(startup);
  return run(
      data, place, steps, count,
      {[&](const loci::Tensor& images, const loci::Tensor& targets) {
         scope.set("image", images);
         scope.set("label", targets);
       },
       [&] { executor.run(main); }, [&] { return scope.find("loss").to_host().item<float>(); }});
}

}  // namespace training
