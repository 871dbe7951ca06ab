// The functions for streams of threads by their own names, cu..._ptsz and cu..._ptds.
#include "tools/cuda_double/driver/api/own_stream.h"

#include <cstddef>
#include <tuple>

#include "tools/cuda_double/driver/api/exports.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

extern "C" CUresult CUDAAPI cuStreamGetCaptureInfo_v2(CUstream, CUstreamCaptureStatus*, cuuint64_t*,
                                                      CUgraph*, const CUgraphNode**, std::size_t*);

namespace {

template <auto kFunction>
struct Signature;
template <typename... Types, CUresult (*kFunction)(Types...)>
struct Signature<kFunction> {
  template <std::size_t kIndex>
  using Parameter = std::tuple_element_t<kIndex, std::tuple<Types...>>;
};

}  // namespace

// An exported function needs its parameters one by one: those of the function that it forwards to.
#define LOCI_TYPE(name, index) Signature<&name>::Parameter<index>
#define LOCI_PARAMETERS_1(name) LOCI_TYPE(name, 0) p0
#define LOCI_PARAMETERS_2(name) LOCI_PARAMETERS_1(name), LOCI_TYPE(name, 1) p1
#define LOCI_PARAMETERS_3(name) LOCI_PARAMETERS_2(name), LOCI_TYPE(name, 2) p2
#define LOCI_PARAMETERS_4(name) LOCI_PARAMETERS_3(name), LOCI_TYPE(name, 3) p3
#define LOCI_PARAMETERS_5(name) LOCI_PARAMETERS_4(name), LOCI_TYPE(name, 4) p4
#define LOCI_PARAMETERS_6(name) LOCI_PARAMETERS_5(name), LOCI_TYPE(name, 5) p5
#define LOCI_PARAMETERS_7(name) LOCI_PARAMETERS_6(name), LOCI_TYPE(name, 6) p6
#define LOCI_PARAMETERS_10(name) \
  LOCI_PARAMETERS_7(name), LOCI_TYPE(name, 7) p7, LOCI_TYPE(name, 8) p8, LOCI_TYPE(name, 9) p9
#define LOCI_PARAMETERS_11(name) LOCI_PARAMETERS_10(name), LOCI_TYPE(name, 10) p10
#define LOCI_NAMES_1 p0
#define LOCI_NAMES_2 LOCI_NAMES_1, p1
#define LOCI_NAMES_3 LOCI_NAMES_2, p2
#define LOCI_NAMES_4 LOCI_NAMES_3, p3
#define LOCI_NAMES_5 LOCI_NAMES_4, p4
#define LOCI_NAMES_6 LOCI_NAMES_5, p5
#define LOCI_NAMES_7 LOCI_NAMES_6, p6
#define LOCI_NAMES_10 LOCI_NAMES_7, p7, p8, p9
#define LOCI_NAMES_11 LOCI_NAMES_10, p10

#define LOCI_OWN_STREAM(name, exported, count)                          \
  extern "C" CUresult CUDAAPI exported(LOCI_PARAMETERS_##count(name)) { \
    return OwnStream<&name>::call(LOCI_NAMES_##count);                  \
  }
#include "tools/cuda_double/driver/api/own_stream_functions.inc"
#undef LOCI_OWN_STREAM
