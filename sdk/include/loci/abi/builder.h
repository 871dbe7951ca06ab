/* The program builder: a table of the host with which a plugin writes operators. A gradient of
 * "loci.ops" gets it, and so does what reads a whole program from elsewhere.
 *
 * Values are ids of one builder, meaningful until the function that got the builder returns, and
 * so is the builder itself. It is used by that one thread. What is refused (an unknown op, slot or
 * attribute, types that do not fit, a name that is taken) is an error of the call, and nothing is
 * appended.
 *
 * The builder of a gradient adds to a program that others have begun: it takes append without
 * names and blocks, constant and type_of, and answers everything else with LOCI_CODE_UNSUPPORTED.
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

/* An id of a block that is complete. */
typedef int64_t loci_block;

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
 * their defaults.
 *
 * Control flow owns blocks, which were completed one after the other where the operator itself
 * goes, and belong to it from then on:
 *   conditional_block  input pred; one block
 *   case               input preds; a block for each, and the one that runs if none is true
 *   switch_case        input index, attribute keys; a block for each key, and the default
 *   while              input values; a condition, with one bool as its result, and a body
 * What the blocks use from outside is captured by itself: the slot "captures" is not given. */
typedef struct loci_call {
  uint32_t struct_size;
  uint32_t reserved_zero;
  loci_str op;
  const loci_call_input* inputs;
  uint64_t input_count;
  const loci_attr* attrs;
  uint64_t attr_count;
  loci_str name;                /* of the operator, unique in the program; empty: one is made */
  const loci_str* output_names; /* flat; an empty one: made of the operator's name */
  uint64_t output_name_count;   /* those behind have none */
  const loci_block* blocks;
  uint64_t block_count;
} loci_call;

/* A value that lives across runs, such as a weight, with its elements. */
typedef struct loci_parameter {
  uint32_t struct_size;
  uint32_t trainable; /* 1: training changes it. 0: a constant or statistic */
  loci_str name;
  loci_type type; /* every extent known */
  /* Dense, the last dimension fastest, aligned to an element, in host memory which may only be
   * read, such as a mapped file. It is not copied until something needs a copy. */
  const void* data;
  uint64_t bytes;
  /* Called once, by any thread, when nobody reads the memory any more: at once if the parameter is
   * refused. NULL: the memory is STATIC. */
  void (*release)(void* context);
  void* context;
} loci_parameter;

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

  /* A value that every run is fed, under that name. */
  loci_error* (*input)(loci_builder* builder, loci_str name, const loci_type* type,
                       loci_value* out_value);
  loci_error* (*parameter)(loci_builder* builder, const loci_parameter* parameter,
                           loci_value* out_value);
  /* Marks a value, of no block, as one that a run gives; a value at most once. A program needs one;
   * what no output needs is left out of it. */
  loci_error* (*output)(loci_builder* builder, loci_value value);
  /* Opens a block within the one that is open: operators go into it until it is closed. `values`
   * are those of a loop, as its input of that name has them, and *out_arguments what stands for
   * them within, valid until the next call; both are NULL for other control flow. Values of the
   * blocks around may be used; those of a block end with it. */
  loci_error* (*block_begin)(loci_builder* builder, const loci_value* values, uint64_t count,
                             const loci_value** out_arguments);
  /* Closes the innermost block, with what it gives. */
  loci_error* (*block_end)(loci_builder* builder, const loci_value* results, uint64_t count,
                           loci_block* out_block);
} loci_builder_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_BUILDER_H_ */
