// [batch, rows, columns] = [batch, rows, inner] [batch, inner, columns]; an item makes one element.
__kernel void matmul(INPUT(float, x), INPUT(float, y), OUTPUT(float, out), const ulong count,
                     const ulong rows, const ulong columns, const ulong inner,
                     const ulong x_row, const ulong x_column, const ulong y_row,
                     const ulong y_column, const Axes batch) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  const ulong2 first = offsets_at(&batch, i / (rows * columns));
  __global const float* left = x + x_at + first.x + i / columns % rows * x_row;
  __global const float* right = y + y_at + first.y + i % columns * y_column;
  float sum = 0;
  for (ulong k = 0; k < inner; ++k) sum += left[k * x_column] * right[k * y_row];
  out[out_at + i] = sum;
}
