__kernel void sgd(OUTPUT(float, param), INPUT(float, grad), INPUT(float, rate),
                  const ulong count) {
  const ulong i = get_global_id(0);
  if (i < count) param[param_at + i] -= rate[rate_at] * grad[grad_at + i];
}

__kernel void momentum(OUTPUT(float, param), OUTPUT(float, velocity), INPUT(float, grad),
                       INPUT(float, rate), const ulong count, const float mu, const int nesterov) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  const float g = grad[grad_at + i];
  const float v = mu * velocity[velocity_at + i] + g;
  velocity[velocity_at + i] = v;
  param[param_at + i] -= rate[rate_at] * (nesterov ? g + mu * v : v);
}
