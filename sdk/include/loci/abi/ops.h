/* Interface "loci.ops": ops that a plugin adds, for every device.
 *
 * A definition says the arguments and attributes of an op, infers the types of its outputs, and
 * writes its gradient in other ops; all that the host's own ops can say of themselves, but for
 * control flow. Kernels of the op come through "loci.kernels" as those of any
 * other, from this plugin or from others.
 *
 * The manifest has "ops" among its kinds. The host loads such plugins when a program first names an
 * op with a dot that it does not know. A plugin whose definitions break a rule, or name an op that
 * another plugin brought, is refused as a whole. An op that was registered stays so until the
 * process ends: programs refer to it, and the host does not unload its plugin.
 *
 * What an op computes depends on its inputs and attributes alone, and it changes nothing but what
 * it `updates`: the host may compute an operator once where it is written twice, or beforehand.
 *
 * Names. An op is named "<namespace>.<name>", such as "example.swish": two or more parts of lower-
 * case letters, digits and underscores, each beginning with a letter, together at most 128
 * characters; the namespace "loci" is the host's. Slots and attributes are named as one part.
 *
 * Versions. `version` goes up when slots, attributes or what is computed change; a saved program
 * names the one it was saved with. An older one is upgraded by the op's `upgrade`, or refused.
 */
#ifndef LOCI_ABI_OPS_H_
#define LOCI_ABI_OPS_H_

#include <loci/abi/base.h>
#include <loci/abi/builder.h>
#include <loci/abi/kernels.h>

#define LOCI_OPS_INTERFACE "loci.ops"
#define LOCI_OPS_MINOR 0

#ifdef __cplusplus
extern "C" {
#endif

/* How many arguments a slot has. */
enum {
  LOCI_ARITY_REQUIRED = 0, /* one */
  LOCI_ARITY_OPTIONAL = 1, /* one or none */
  LOCI_ARITY_VARIADIC = 2  /* any number */
};

/* loci_slot_def.flags */
enum {
  /* Of an optional input on the host that takes I32 and I64: a list of integers from which extents
   * of outputs come. Inference sees its values where they are known, and where only a run brings
   * them, what hangs on the outputs waits for them. */
  LOCI_SLOT_GIVES_EXTENTS = 1 << 0
};

/* An input or output slot. All slots of an array have one struct_size. */
typedef struct loci_slot_def {
  uint32_t struct_size;
  uint32_t arity;
  loci_str name;       /* unique among the inputs, or among the outputs */
  uint64_t dtype_mask; /* of an input: what it takes; of an output: 0 */
  /* LOCI_RESIDENCE_*, whatever place the op runs at. A required output may be on the host: it is
   * complete when the launch returns. No output is METADATA. */
  uint32_t residence;
  uint32_t flags;
  /* Of an output: the required, device-resident input whose memory it is, state that the op
   * changes. Empty: a new value. */
  loci_str updates;
  /* Of an output whose dimension 0 depends on the data: the output, I64 of the shape [1], to which
   * the kernel writes its true extent. Both are new, required values on the device. Inference says
   * the largest extent that can come about, which is what the kernel gets memory for; it writes the
   * elements from the start. At most one output of an op. Empty: inference says the extents. */
  loci_str count;
} loci_slot_def;

/* loci_attr_def.flags */
enum {
  LOCI_ATTR_DEF_REQUIRED = 1 << 0, /* has no default */
  LOCI_ATTR_DEF_LIMITED = 1 << 1   /* has limits */
};

/* An attribute. All attributes of an array have one struct_size. */
typedef struct loci_attr_def {
  uint32_t struct_size;
  uint32_t flags;
  loci_str name;
  uint32_t kind; /* LOCI_ATTR_* */
  uint32_t reserved_zero;
  loci_attr default_value; /* of that kind, within the limits; its name is not read */
  /* Both are allowed themselves: of INT and of each item of INTS, and of FLOAT and of each item of
   * FLOATS, where NaN is not. The smallest and largest number stand for no limit. */
  int64_t integer_minimum;
  int64_t integer_maximum;
  double real_minimum;
  double real_maximum;
  /* What a STRING, or an item of STRINGS, may be; none: anything. */
  const loci_str* choices;
  uint64_t choice_count;
} loci_attr_def;

/* The host's, where inference leaves its results. */
typedef struct loci_type_sink loci_type_sink;

/* An operator while its types are inferred. Arguments are flat, as in loci_op_desc; arity and
 * dtypes of the inputs and limits of the attributes were checked. */
typedef struct loci_inference {
  uint32_t struct_size;
  uint32_t reserved_zero;
  const loci_attr* attrs;
  uint64_t attr_count;
  const loci_type* inputs;
  const uint32_t* input_slots;
  uint32_t input_slot_count;
  uint32_t output_slot_count;
  loci_type_sink* sink;
  /* Says the type of an output: `index` within its slot. Required outputs need one, except that
   * an output with `updates` has its input's unless it is set. */
  loci_error* (*set_output)(loci_type_sink* sink, uint32_t slot, uint32_t index,
                            const loci_type* type);
  /* By flat input: the value of one that GIVES_EXTENTS, NULL while it is unknown and for all
   * others. */
  const loci_view* const* input_values;
} loci_inference;

/* What one execution costs. */
typedef struct loci_op_cost {
  uint64_t flops; /* floating-point operations */
  uint64_t bytes; /* read and written */
} loci_op_cost;

/* The host's, where an upgrade leaves its results. */
typedef struct loci_attr_sink loci_attr_sink;

/* The attributes of an operator of an older version while they are brought to those of today. */
typedef struct loci_upgrade {
  uint32_t struct_size;
  uint32_t from_version;  /* smaller than that of the definition */
  const loci_attr* attrs; /* as the file has them */
  uint64_t attr_count;
  loci_attr_sink* sink;
  /* Adds an attribute, or changes the one of its name. */
  loci_error* (*set)(loci_attr_sink* sink, const loci_attr* attr);
  /* Takes away the attribute of that name, if there is one. */
  loci_error* (*remove)(loci_attr_sink* sink, loci_str name);
} loci_upgrade;

/* An operator while its gradient is written. Values are flat by slot; those of absent optional
 * arguments are LOCI_NO_VALUE. */
typedef struct loci_gradient {
  uint32_t struct_size;
  uint32_t reserved_zero;
  const loci_attr* attrs;
  uint64_t attr_count;
  const loci_value* inputs;
  const loci_value* outputs;
  const loci_value* output_grads; /* LOCI_NO_VALUE: none reaches that output; one does at least */
  const uint32_t* input_slots;
  const uint32_t* output_slots;
  uint32_t input_slot_count;
  uint32_t output_slot_count;
  const uint8_t* wanted;   /* by flat input: 1 if its gradient is asked for */
  loci_value* input_grads; /* by flat input, to be filled in; LOCI_NO_VALUE: zero */
  const loci_builder_api* builder_api;
  loci_builder* builder;
} loci_gradient;

/* An operator while it is written in other ops, for a device that has no kernel of it. Values are
 * flat by slot, as in loci_gradient. */
typedef struct loci_decomposition {
  uint32_t struct_size;
  uint32_t reserved_zero;
  const loci_attr* attrs;
  uint64_t attr_count;
  const loci_value* inputs;
  const uint32_t* input_slots;
  const uint32_t* output_slots;
  uint32_t input_slot_count;
  uint32_t output_slot_count;
  /* By flat output, to be filled in with values of the types that inference says; all are
   * LOCI_NO_VALUE at first. Left so, the operator has no decomposition. */
  loci_value* outputs;
  const loci_builder_api* builder_api;
  loci_builder* builder;
} loci_decomposition;

/* loci_op_def.flags */
enum {
  /* It draws random numbers. It has the required input "state", U64 on the device, which is the
   * random state (seed and run, [2]) and which it does not change, and the INT attribute "offset",
   * its place in program order; the host fills in both where they are not given. What it draws
   * depends on the two, not on the device. */
  LOCI_OP_RANDOM = 1 << 0
};

typedef struct loci_op_def loci_op_def;

/* An op. STATIC, and so is all that it points to. All definitions of an array have one
 * struct_size. */
struct loci_op_def {
  uint32_t struct_size;
  uint32_t version; /* from 1 */
  loci_str name;
  const loci_slot_def* inputs;
  uint64_t input_count;
  const loci_slot_def* outputs; /* one at least */
  uint64_t output_count;
  const loci_attr_def* attrs;
  uint64_t attr_count;
  loci_str not_capturable; /* why it cannot be recorded into a device graph; empty: it can */
  /* Gives the types of the outputs, or an error, to whose message the host adds the op and the
   * arguments. Called while programs are built, and again when a run brings extents, from any
   * thread. */
  loci_error* (*infer)(loci_plugin* plugin, const loci_op_def* def,
                       const loci_inference* inference);
  /* Writes the gradient; after an error nothing of it stays in the program. NULL: gradients stop at
   * the op. */
  loci_error* (*gradient)(loci_plugin* plugin, const loci_op_def* def,
                          const loci_gradient* gradient);
  uint64_t token; /* the plugin's own */
  uint64_t flags; /* LOCI_OP_* */
  /* What an operator costs, whose types are inferred and whose extents are known; `op` has no cost
   * yet. From any thread. NULL: one flop for each element of the outputs, the bytes of all
   * arguments. */
  loci_error* (*cost)(loci_plugin* plugin, const loci_op_def* def, const loci_op_desc* op,
                      loci_op_cost* out_cost);
  /* Called for each operator of a saved program of an older version. NULL: such programs are
   * refused. */
  loci_error* (*upgrade)(loci_plugin* plugin, const loci_op_def* def, const loci_upgrade* upgrade);
  /* Writes the operator in other ops. Where its device has no kernel for it, and has those of all
   * that is written, they run there instead of the op on the CPU. The results are the op's, within
   * the bounds of its kernels; its gradient stays its own. Not of an op that updates, has a count,
   * has outputs on the host or draws random numbers. NULL: it has no decomposition. */
  loci_error* (*decompose)(loci_plugin* plugin, const loci_op_def* def,
                           const loci_decomposition* decomposition);
  /* What it computes, in a line for authors of kernels: "x / (1 + exp(-beta x))". May be empty. */
  loci_str meaning;
};

typedef struct loci_ops_api {
  uint32_t struct_size;
  uint32_t minor;
  const loci_op_def* (*defs)(loci_plugin* plugin, uint64_t* out_count);
} loci_ops_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_OPS_H_ */
