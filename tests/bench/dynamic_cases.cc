#include "tests/bench/dynamic_cases.h"

namespace loci::bench {
namespace {

constexpr std::int64_t kWidth = 64;

// Softmax between them keeps them from being fused.
Variable four_operators(const Variable& x, int depth) {
  Variable out = x;
  for (int i = 0; i < depth; ++i) out = softmax(tanh(softmax(relu(out))));
  return out;
}

Variable mlp(const Variable& x, int depth) {
  Variable hidden = relu(layers::fc(x, 4 * kWidth));
  for (int i = 0; i < depth; ++i) hidden = relu(layers::fc(hidden, 4 * kWidth));
  return layers::fc(hidden, 10);
}

// With one head, of a sequence [length, width].
Variable encoder_layer(const Variable& x) {
  const Variable seen = layers::layer_norm(x);
  const Variable keys = layers::fc(seen, kWidth);
  const Variable scores = matmul(layers::fc(seen, kWidth), keys, false, true);
  const Variable attended = x + matmul(softmax(scores), layers::fc(seen, kWidth));
  const Variable wide = gelu(layers::fc(layers::layer_norm(attended), 4 * kWidth));
  return attended + layers::fc(wide, kWidth);
}

Variable encoder(const Variable& x, int depth) {
  Variable out = x;
  for (int i = 0; i < depth; ++i) out = encoder_layer(out);
  return out;
}

Variable convolutions(const Variable& x, int depth) {
  const Conv2dOptions same{.paddings = {1, 1}};
  Variable hidden = pool2d(relu(layers::conv2d(x, 16, 3, same)));
  for (int i = 0; i < depth; ++i) hidden = relu(layers::conv2d(hidden, 32, 3, same));
  return hidden;
}

}  // namespace

std::vector<DynamicCase> dynamic_cases() {
  // An encoder sees its lengths again, by when their plans may have been dropped.
  return {
      {"four ops",
       {-1, 16},
       four_operators,
       [](int i) {
         return Shape{i + 1, 16};
       }},
      {"MLP",
       {-1, kWidth},
       mlp,
       [](int i) {
         return Shape{i + 1, kWidth};
       }},
      {"encoder",
       {-1, kWidth},
       encoder,
       [](int i) {
         return Shape{i % 512 + 1, kWidth};
       }},
      {"conv",
       {1, 3, -1, -1},
       convolutions,
       [](int i) {
         return Shape{1, 3, 8 + i % 71, 8 + i / 71};
       }},
  };
}

}  // namespace loci::bench
