#define BINARY(name, operator)                                                              \
  __kernel void name(INPUT(float, x), INPUT(float, y), OUTPUT(float, out), const ulong count, \
                     const Axes axes) {                                                     \
    const ulong i = get_global_id(0);                                                       \
    if (i >= count) return;                                                                 \
    const ulong2 at = offsets_at(&axes, i);                                                 \
    out[out_at + i] = x[x_at + at.x] operator y[y_at + at.y];                               \
  }
BINARY(elementwise_add, +)
BINARY(elementwise_sub, -)
BINARY(elementwise_mul, *)
BINARY(elementwise_div, /)

__kernel void relu(INPUT(float, x), OUTPUT(float, out), const ulong count) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  const float value = x[x_at + i];
  out[out_at + i] = value < 0 ? 0 : value;
}

// The result of relu tells the gradient; NaN lets the gradient through.
__kernel void relu_grad(INPUT(float, result), INPUT(float, out_grad), OUTPUT(float, x_grad),
                        const ulong count) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  x_grad[x_grad_at + i] = result[result_at + i] <= 0 ? 0 : out_grad[out_grad_at + i];
}

__kernel void scale(INPUT(float, x), OUTPUT(float, out), const ulong count, const float factor,
                    const float bias) {
  const ulong i = get_global_id(0);
  if (i < count) out[out_at + i] = x[x_at + i] * factor + bias;
}
