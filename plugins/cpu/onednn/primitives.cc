#include "plugins/cpu/onednn/primitives.h"

#include <algorithm>

#include "plugins/cpu/onednn/engine.h"

namespace loci::cpu::onednn {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;

constexpr algorithm kDirect = algorithm::convolution_direct;

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr result;
  result.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return result;
}

// oneDNN 2 describes a primitive in two steps, 3 in one: there a primitive descriptor takes the
// engine first and the attributes last.
template <class Primitive, class... Args>
typename Primitive::primitive_desc describe(const Args&... args) {
#if DNNL_VERSION_MAJOR >= 3
  return typename Primitive::primitive_desc(engine(), args..., attributes());
#else
  return
      typename Primitive::primitive_desc(typename Primitive::desc(args...), attributes(), engine());
#endif
}

template <class Primitive, class Hint, class... Args>
typename Primitive::primitive_desc describe_backward(const Hint& hint, const Args&... args) {
#if DNNL_VERSION_MAJOR >= 3
  return typename Primitive::primitive_desc(engine(), args..., hint, attributes());
#else
  return typename Primitive::primitive_desc(typename Primitive::desc(args...), attributes(),
                                            engine(), hint);
#endif
}

template <class Numbers>
void append(std::string* text, const char* name, const Numbers& numbers, int count) {
  *text += name;
  for (int i = 0; i < count; ++i) {
    *text += i == 0 ? ' ' : ',';
    *text += std::to_string(numbers[i]);
  }
}

}  // namespace

std::string layout_text(const Desc& desc) {
#if DNNL_VERSION_MAJOR >= 3
  if (desc.get_format_kind() != dnnl::memory::format_kind::blocked) return {};
  const int rank = desc.get_ndims();
  const int blocks = desc.get_inner_nblks();
  std::string text;
  append(&text, "extents", desc.get_dims(), rank);
  append(&text, " padded", desc.get_padded_dims(), rank);
  append(&text, " strides", desc.get_strides(), rank);
  append(&text, " blocks", desc.get_inner_blks(), blocks);
  append(&text, " of axes", desc.get_inner_idxs(), blocks);
#else
  const dnnl_memory_desc_t& data = desc.data;
  if (data.format_kind != dnnl_blocked || data.extra.flags != 0) return {};
  const dnnl_blocking_desc_t& blocking = data.format_desc.blocking;
  std::string text;
  append(&text, "extents", data.dims, data.ndims);
  append(&text, " padded", data.padded_dims, data.ndims);
  append(&text, " strides", blocking.strides, data.ndims);
  append(&text, " blocks", blocking.inner_blks, blocking.inner_nblks);
  append(&text, " of axes", blocking.inner_idxs, blocking.inner_nblks);
#endif
  return text;
}

dnnl::reorder make_reorder(const Desc& from, const Desc& to) {
  return dnnl::reorder(dnnl::reorder::primitive_desc(engine(), from, engine(), to));
}

void run_primitive(const dnnl::primitive& primitive, dnnl::stream& stream,
                   std::span<const dnnl_exec_arg_t> arguments) {
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()),
                             arguments.data()),
      "oneDNN could not execute a primitive");
}

void run_reorder(const dnnl::reorder& reorder, dnnl::stream& stream, const dnnl::memory& from,
                 const dnnl::memory& to) {
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}};
  run_primitive(reorder, stream, arguments);
}

std::optional<std::int64_t> step_of_first(const Desc& desc) {
#if DNNL_VERSION_MAJOR >= 3
  if (desc.get_format_kind() != dnnl::memory::format_kind::blocked) return std::nullopt;
  const dnnl::memory::dims blocked = desc.get_inner_idxs();
  const bool is_blocked = std::count(blocked.begin(), blocked.end(), 0) != 0;
  const bool is_padded = desc.get_dims()[0] != desc.get_padded_dims()[0];
  const std::int64_t stride = desc.get_strides()[0];
  const auto type = desc.get_data_type();
#else
  if (desc.data.format_kind != dnnl_blocked || desc.data.extra.flags != 0) return std::nullopt;
  const dnnl_blocking_desc_t& blocking = desc.data.format_desc.blocking;
  const bool is_blocked =
      std::count(blocking.inner_idxs, blocking.inner_idxs + blocking.inner_nblks, 0) != 0;
  const bool is_padded = desc.data.dims[0] != desc.data.padded_dims[0];
  const std::int64_t stride = blocking.strides[0];
  const auto type = desc.data_type();
#endif
  if (is_blocked || is_padded) return std::nullopt;
  return stride * static_cast<std::int64_t>(dnnl::memory::data_type_size(type));
}

dnnl::memory::dims extents_of(const Desc& desc) {
#if DNNL_VERSION_MAJOR >= 3
  return desc.get_dims();
#else
  return desc.dims();
#endif
}

Desc first_of(const Desc& desc, std::int64_t count) {
  dnnl::memory::dims extents = extents_of(desc);
  const dnnl::memory::dims begin(extents.size(), 0);
  extents[0] = count;
  return desc.submemory_desc(extents, begin);
}

dnnl::matmul::primitive_desc matmul_desc(const Desc& x, const Desc& y, const Desc& bias,
                                         const Desc& out) {
  return describe<dnnl::matmul>(x, y, bias, out);
}

dnnl::convolution_forward::primitive_desc convolution_desc(prop_kind kind, const Desc& x,
                                                           const Desc& filter, const Desc& bias,
                                                           const Desc& out, const Windows& w) {
  return describe<dnnl::convolution_forward>(kind, kDirect, x, filter, bias, out, w.strides,
                                             w.dilations, w.before, w.after);
}

dnnl::convolution_backward_data::primitive_desc convolution_input_grad_desc(const Desc& x_grad,
                                                                            const Desc& filter,
                                                                            const Desc& out_grad,
                                                                            const Windows& w) {
  const auto hint =
      convolution_desc(prop_kind::forward_training, x_grad, filter, Desc(), out_grad, w);
  return describe_backward<dnnl::convolution_backward_data>(
      hint, kDirect, x_grad, filter, out_grad, w.strides, w.dilations, w.before, w.after);
}

dnnl::convolution_backward_weights::primitive_desc convolution_filter_grad_desc(
    const Desc& x, const Desc& filter_grad, const Desc& out_grad, const Windows& w) {
  const auto hint =
      convolution_desc(prop_kind::forward_training, x, filter_grad, Desc(), out_grad, w);
  return describe_backward<dnnl::convolution_backward_weights>(
      hint, kDirect, x, filter_grad, out_grad, w.strides, w.dilations, w.before, w.after);
}

PoolingForward::primitive_desc pooling_desc(algorithm kind, const Desc& x, const Desc& out,
                                            const Windows& w) {
  return describe<PoolingForward>(prop_kind::forward_inference, kind, x, out, w.strides, w.kernel,
                                  w.dilations, w.before, w.after);
}

PoolingBackward::primitive_desc pooling_grad_desc(algorithm kind, const Desc& x_grad,
                                                  const Desc& out_grad, const Windows& w) {
  const auto hint = describe<PoolingForward>(prop_kind::forward_training, kind, x_grad, out_grad,
                                             w.strides, w.kernel, w.dilations, w.before, w.after);
  return describe_backward<PoolingBackward>(hint, kind, x_grad, out_grad, w.strides, w.kernel,
                                            w.dilations, w.before, w.after);
}

}  // namespace loci::cpu::onednn
