// softmax_with_cross_entropy and its gradient; an item makes a row. A label is the number of a
// class; the loss of one that is no class is NaN, as work on a device has no way to raise an error.
float softmax_row(__global const float* x, __global float* out, ulong classes, float* largest) {
  *largest = -INFINITY;
  for (ulong i = 0; i < classes; ++i) *largest = x[i] > *largest || isnan(x[i]) ? x[i] : *largest;
  float sum = 0;
  for (ulong i = 0; i < classes; ++i) sum += exp(x[i] - *largest);
  for (ulong i = 0; i < classes; ++i) out[i] = exp(x[i] - *largest) / sum;
  return sum;
}

// log(sum exp(x - largest)) + largest - x[label], which stays exact where softmax nears 0 or 1.
#define LOSS(type, name)                                                                        \
  __kernel void name(INPUT(float, logits), INPUT(type, label), OUTPUT(float, out),              \
                     OUTPUT(float, loss), const ulong rows, const ulong classes,                \
                     const long ignored) {                                                      \
    const ulong row = get_global_id(0);                                                         \
    if (row >= rows) return;                                                                    \
    const long chosen = label[label_at + row];                                                  \
    __global const float* x = logits + logits_at + row * classes;                               \
    const bool is_class = chosen >= 0 && chosen < (long)classes;                                \
    const float value = is_class ? x[chosen] : NAN;                                             \
    float largest;                                                                              \
    const float sum = softmax_row(x, out + out_at + row * classes, classes, &largest);          \
    loss[loss_at + row] = chosen == ignored ? 0 : log(sum) + (largest - value);                 \
  }
LOSS(int, loss_of_int)
LOSS(long, loss_of_long)

#define LOSS_GRAD(type, name)                                                                   \
  __kernel void name(INPUT(float, out), INPUT(type, label), INPUT(float, loss_grad),            \
                     OUTPUT(float, logits_grad), const ulong rows, const ulong classes,         \
                     const long ignored) {                                                      \
    const ulong row = get_global_id(0);                                                         \
    if (row >= rows) return;                                                                    \
    const long chosen = label[label_at + row];                                                  \
    const bool is_class = chosen >= 0 && chosen < (long)classes;                                \
    const float known = is_class ? loss_grad[loss_grad_at + row] : NAN;                         \
    const float factor = chosen == ignored ? 0 : known;                                         \
    for (ulong i = 0; i < classes; ++i) {                                                       \
      const float target = chosen != ignored && (long)i == chosen ? 1 : 0;                      \
      const ulong at = row * classes + i;                                                       \
      logits_grad[logits_grad_at + at] = factor * (out[out_at + at] - target);                  \
    }                                                                                           \
  }
LOSS_GRAD(int, loss_grad_of_int)
LOSS_GRAD(long, loss_grad_of_long)
