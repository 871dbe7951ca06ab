// Arguments of kernels: a tensor is its buffer and the index of its first element there.
#define INPUT(type, name) __global const type* name, const ulong name##_at
#define OUTPUT(type, name) __global type* name, const ulong name##_at

// Every operation rounds, as in the operators' definitions.
#pragma OPENCL FP_CONTRACT OFF

// The struct is that of axes.h.
#define MAX_RANK 8
typedef struct {
  ulong rank;
  ulong extents[MAX_RANK];
  ulong strides[2][MAX_RANK];
} Axes;

// Where the element at `position` is, in elements, for operand 0 (x) and 1 (y).
ulong2 offsets_at(const Axes* axes, ulong position) {
  ulong2 offsets = (ulong2)(0, 0);
  for (ulong i = 0; i < axes->rank; ++i) {
    const ulong coordinate = position % axes->extents[i];
    position /= axes->extents[i];
    offsets += coordinate * (ulong2)(axes->strides[0][i], axes->strides[1][i]);
  }
  return offsets;
}
