// The opaque structures of the API hold these: each begins with a mark, by which one that was never
// initialised is known.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "tools/cuda_double/cublaslt/refusal.h"

namespace loci::cublaslt_double {

struct Layout {
  static constexpr std::uint64_t kMark = 0x4c6f63694c61796f;
  static constexpr const char* kName = "matrix layout";
  std::uint64_t mark = kMark;
  std::int32_t type = 0;  // cudaDataType
  std::int32_t order = CUBLASLT_ORDER_COL;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::int64_t leading = 0;
  std::int64_t batch = 1;
  std::int64_t batch_step = 0;

  bool operator==(const Layout&) const = default;
};

struct Operation {
  static constexpr std::uint64_t kMark = 0x4c6f63694f706572;
  static constexpr const char* kName = "matmul descriptor";
  std::uint64_t mark = kMark;
  std::int32_t compute = 0;  // cublasComputeType_t
  std::int32_t scale = 0;    // cudaDataType
  std::int32_t transpose_a = CUBLAS_OP_N;
  std::int32_t transpose_b = CUBLAS_OP_N;
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  std::uint32_t unused = 0;
  std::uint64_t bias = 0;  // an address of the device
};

struct Preference {
  static constexpr std::uint64_t kMark = 0x4c6f636950726566;
  static constexpr const char* kName = "matmul preference";
  std::uint64_t mark = kMark;
  std::uint64_t workspace = 0;
  std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint32_t alignments[4] = {256, 256, 256, 256};  // of A, B, C and D
};

template <class Fields, class Opaque>
Fields read(const Opaque* opaque) {
  static_assert(sizeof(Fields) <= sizeof(Opaque) && std::is_trivially_copyable_v<Fields>);
  require(opaque != nullptr, std::string("there is no ") + Fields::kName);
  Fields fields;
  std::memcpy(static_cast<void*>(&fields), opaque, sizeof fields);
  require(fields.mark == Fields::kMark,
          std::string("the ") + Fields::kName + " was never initialised, or is something else");
  return fields;
}

template <class Fields, class Opaque>
void write(Opaque* opaque, const Fields& fields) {
  static_assert(sizeof(Fields) <= sizeof(Opaque));
  require(opaque != nullptr, std::string("there is no ") + Fields::kName);
  std::memcpy(opaque, &fields, sizeof fields);
}

// These set attributes as the functions of the API do. An attribute that the double does not know
// is not supported.
void set_attribute(Layout& layout, cublasLtMatrixLayoutAttribute_t which, const void* value,
                   std::size_t bytes);
void set_attribute(Operation& operation, cublasLtMatmulDescAttributes_t which, const void* value,
                   std::size_t bytes);
void set_attribute(Preference& preference, cublasLtMatmulPreferenceAttributes_t which,
                   const void* value, std::size_t bytes);

}  // namespace loci::cublaslt_double
