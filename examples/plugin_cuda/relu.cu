// Each thread computes one element. What is no number stays so.
extern "C" __global__ void relu(const float* x, float* out, long long count) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index < count) out[index] = x[index] < 0 ? 0.0F : x[index];
}
