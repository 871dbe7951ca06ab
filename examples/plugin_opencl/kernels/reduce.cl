// A group of GROUP items makes one element of the result: kept leads to its first summand, reduced
// from there to all `count` of them.
#define GROUP 64

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void reduce(
    INPUT(float, x), OUTPUT(float, out), const ulong count, const float divisor, const Axes kept,
    const Axes reduced) {
  __local float sums[GROUP];
  const ulong item = get_local_id(0);
  const ulong first = x_at + offsets_at(&kept, get_group_id(0)).x;
  float sum = 0;
  for (ulong i = item; i < count; i += GROUP) sum += x[first + offsets_at(&reduced, i).x];
  sums[item] = sum;
  for (ulong half_size = GROUP / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_size) sums[item] += sums[item + half_size];
  }
  if (item == 0) out[out_at + get_group_id(0)] = sums[0] / divisor;
}

// The way back: each element of x gets the gradient of the sum that it went into.
__kernel void reduce_grad(INPUT(float, out_grad), OUTPUT(float, x_grad), const ulong count,
                          const float divisor, const Axes axes) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  x_grad[x_grad_at + i] = out_grad[out_grad_at + offsets_at(&axes, i).x] / divisor;
}

// An item makes a row of `length` elements, `stride` apart.
__kernel void softmax(INPUT(float, x), OUTPUT(float, out), const ulong rows, const ulong length,
                      const ulong stride) {
  const ulong row = get_global_id(0);
  if (row >= rows) return;
  const ulong first = row / stride * stride * length + row % stride;
  __global const float* from = x + x_at + first;
  __global float* to = out + out_at + first;
  float largest = -INFINITY;
  for (ulong i = 0; i < length; ++i) {
    const float value = from[i * stride];
    largest = value > largest || isnan(value) ? value : largest;
  }
  float sum = 0;
  for (ulong i = 0; i < length; ++i) {
    const float value = exp(from[i * stride] - largest);
    to[i * stride] = value;
    sum += value;
  }
  for (ulong i = 0; i < length; ++i) to[i * stride] /= sum;
}
