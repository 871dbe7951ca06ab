// The one place that knows what changed between oneDNN 2 and 3: how primitives are described. All
// keep their scratchpad in memory of the caller. Failure throws dnnl::error; with status
// dnnl_unimplemented there is no such implementation.
#pragma once

#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <span>
#include <string>

namespace loci::cpu::onednn {

// Where windows lie; each entry [height, width]. Dilation counts skipped elements: 0 is dense.
struct Windows {
  dnnl::memory::dims kernel;  // for pooling
  dnnl::memory::dims strides;
  dnnl::memory::dims dilations;
  dnnl::memory::dims before;
  dnnl::memory::dims after;
};

using Desc = dnnl::memory::desc;

dnnl::reorder make_reorder(const Desc& from, const Desc& to);

// Run primitives as the methods execute() do, which allocate a table of arguments each time.
void run_primitive(const dnnl::primitive& primitive, dnnl::stream& stream,
                   std::span<const dnnl_exec_arg_t> arguments);
void run_reorder(const dnnl::reorder& reorder, dnnl::stream& stream, const dnnl::memory& from,
                 const dnnl::memory& to);

// Returns the bytes from one of the first dimension to the next, for data in whose layout it is
// neither blocked nor padded. Nothing for other layouts.
std::optional<std::int64_t> step_of_first(const Desc& desc);
// The first `count` along that dimension.
Desc first_of(const Desc& desc, std::int64_t count);

// All that there is of a layout made of blocks and strides: "extents 784,256 padded 784,256 strides
// 256,50176 blocks 64 of axes 1". Empty for any other.
std::string layout_text(const Desc& desc);

dnnl::memory::dims extents_of(const Desc& desc);

// An empty `bias` leaves it out. What follows a product is ours: the maximum with 0 of oneDNN makes
// 0 of what is no number.
dnnl::matmul::primitive_desc matmul_desc(const Desc& x, const Desc& y, const Desc& bias,
                                         const Desc& out);

dnnl::convolution_forward::primitive_desc convolution_desc(dnnl::prop_kind kind, const Desc& x,
                                                           const Desc& filter, const Desc& bias,
                                                           const Desc& out, const Windows& windows);
dnnl::convolution_backward_data::primitive_desc convolution_input_grad_desc(const Desc& x_grad,
                                                                            const Desc& filter,
                                                                            const Desc& out_grad,
                                                                            const Windows& windows);
dnnl::convolution_backward_weights::primitive_desc convolution_filter_grad_desc(
    const Desc& x, const Desc& filter_grad, const Desc& out_grad, const Windows& windows);

#if DNNL_VERSION_MAJOR >= 3
using PoolingForward = dnnl::pooling_forward;
using PoolingBackward = dnnl::pooling_backward;
#else
using PoolingForward = dnnl::pooling_v2_forward;
using PoolingBackward = dnnl::pooling_v2_backward;
#endif

PoolingForward::primitive_desc pooling_desc(dnnl::algorithm algorithm, const Desc& x,
                                            const Desc& out, const Windows& windows);
PoolingBackward::primitive_desc pooling_grad_desc(dnnl::algorithm algorithm, const Desc& x_grad,
                                                  const Desc& out_grad, const Windows& windows);

}  // namespace loci::cpu::onednn
