/* The program builder: a table of the host with which a plugin writes operators. A gradient of
 * "loci.ops" gets it.
 *
 * Values are ids of one builder, meaningful until the function that got the builder returns, and
 * so is the builder itself. It is used by that one thread. An operator that is refused (an unknown
 * op, slot or attribute, types that do not fit) is an error of the call, and nothing is appended.
 */
#ifndef LOCI_ABI_BUILDER_H_
#define LOCI_ABI_BUILDER_H_

#include <loci/abi/base.h>
#include <loci/abi/kernels.h>

#define LOCI_BUILDER_MINOR 0

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by the host. */
typedef struct loci_builder loci_builder;

/* An id of a value, >= 0. */
typedef int64_t loci_value;
#define LOCI_NO_VALUE INT64_C(-1) /* an absent argument */

/* An extent that only a run knows. */
#define LOCI_DIM_UNKNOWN INT64_C(-1)

/* dtype and shape of a value. Frozen for the ABI major. */
typedef struct loci_type {
  loci_dtype dtype; /* LOCI_DTYPE_NONE: absent */
  int32_t rank;
  int64_t dims[LOCI_MAX_RANK]; /* rank of them, each >= 0 or LOCI_DIM_UNKNOWN */
} loci_type;

/* The arguments of one input slot. Frozen for the ABI major. */
typedef struct loci_call_input {
  loci_str slot; /* its name; empty: the slot at this entry's position */
  const loci_value* values;
  uint64_t value_count; /* 0: the slot is left empty */
} loci_call_input;

/* An operator to append. Slots that are not there are empty, attributes that are not there have
 * their defaults. */
typedef struct loci_call {
  uint32_t struct_size;
  uint32_t reserved_zero;
  loci_str op;
  const loci_call_input* inputs;
  uint64_t input_count;
  const loci_attr* attrs;
  uint64_t attr_count;
} loci_call;

typedef struct loci_builder_api {
  uint32_t struct_size;
  uint32_t minor;

  /* Appends an operator. *out_values has its outputs, flat, in the order of the op's schema; the
   * array is valid until the next call. Both out pointers may be NULL. */
  loci_error* (*append)(loci_builder* builder, const loci_call* call, const loci_value** out_values,
                        uint64_t* out_count);
  /* A constant with the elements of a view: dense, in host memory, copied. They become part of the
   * program's text: for scalars and short tables. */
  loci_error* (*constant)(loci_builder* builder, const loci_view* elements, loci_value* out_value);
  /* What is known of a value while the program is built. */
  loci_error* (*type_of)(loci_builder* builder, loci_value value, loci_type* out_type);
} loci_builder_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_BUILDER_H_ */
