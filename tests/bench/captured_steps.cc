#include "tests/bench/captured_steps.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace loci::bench {
namespace {

using ImperativeStep = std::function<Tensor()>;

Tensor weight(const Shape& shape) { return rand(shape, -0.1, 0.1); }

struct Dense {
  Dense(std::int64_t inputs, std::int64_t outputs)
      : weights(weight({inputs, outputs})), bias(weight({outputs})) {}
  Tensor operator()(const Tensor& x) const { return matmul(x, weights) + bias; }

  Tensor weights;
  Tensor bias;
};

ImperativeCase imperative_mlp(std::int64_t batch, std::int64_t width) {
  return {"imperative training step of an MLP, 3 layers of " + std::to_string(width) + ", batch " +
              std::to_string(batch),
          [=]() -> ImperativeStep {
            const std::vector<Dense> layers{{width, width}, {width, width}, {width, 10}};
            std::vector<Tensor> parameters;
            for (const Dense& layer : layers) {
              for (Tensor each : {layer.weights, layer.bias}) {
                each.set_requires_grad();
                parameters.push_back(each);
              }
            }
            const auto adam = std::make_shared<optimizer::Adam>(1e-4);
            return [=, x = rand({batch, width}, -1, 1)] {
              optimizer::Adam::zero_grad(parameters);
              const Tensor out = layers[2](relu(layers[1](relu(layers[0](x)))));
              const Tensor loss = mean(out * out);
              loss.backward();
              adam->step(parameters);
              return loss;
            };
          }};
}

struct Cell {
  explicit Cell(std::int64_t units)
      : inputs(weight({units, 4 * units})),
        states(weight({units, 4 * units})),
        bias(weight({4 * units})) {}
  // h and c.
  std::pair<Tensor, Tensor> operator()(const Tensor& x,
                                       const std::pair<Tensor, Tensor>& before) const {
    const Tensor gates = matmul(x, inputs) + matmul(before.first, states) + bias;
    const std::vector<Tensor> parts = split(gates, 4, 1);
    const Tensor c = sigmoid(parts[0]) * before.second + sigmoid(parts[1]) * tanh(parts[2]);
    return {sigmoid(parts[3]) * tanh(c), c};
  }

  Tensor inputs;
  Tensor states;
  Tensor bias;
};

ImperativeCase imperative_lstm(std::int64_t steps, std::int64_t units) {
  return {"imperative LSTM, 2 layers of " + std::to_string(units) + ", " + std::to_string(steps) +
              " steps",
          [=]() -> ImperativeStep {
            const Cell lower(units);
            const Cell upper(units);
            return [=, x = rand({steps, units}, -1, 1), zero = full({1, units}, 0, kFloat32)] {
              std::pair<Tensor, Tensor> first{zero, zero};
              std::pair<Tensor, Tensor> second{zero, zero};
              for (std::int64_t t = 0; t < steps; ++t) {
                first = lower(x.rows(t, t + 1), first);
                second = upper(first.first, second);
              }
              return second.first;
            };
          }};
}

ImperativeCase imperative_towers(std::int64_t count, std::int64_t width) {
  return {"imperative, " + std::to_string(count) + " towers of 4 layers of " +
              std::to_string(width) + ", batch 8",
          [=]() -> ImperativeStep {
            const std::vector<Dense> layers(static_cast<std::size_t>(4 * count), {width, width});
            const Dense last(count * width, 10);
            return [=, x = rand({8, width}, -1, 1)] {
              std::vector<Tensor> outs;
              for (std::size_t i = 0; i < layers.size(); ++i) {
                if (i % 4 == 0) outs.push_back(x);
                outs.back() = relu(layers[i](outs.back()));
              }
              return last(concat(outs, 1));
            };
          }};
}

}  // namespace

std::vector<ImperativeCase> imperative_cases() {
  return {imperative_mlp(8, 64),    imperative_mlp(32, 128),  imperative_lstm(16, 32),
          imperative_lstm(16, 128), imperative_towers(2, 64), imperative_towers(4, 128)};
}

}  // namespace loci::bench
