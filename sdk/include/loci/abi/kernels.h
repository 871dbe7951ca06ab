/* Interface "loci.kernels": implementations of ops.
 *
 * Life of a kernel: create (attributes are parsed here, and nowhere else), prepare (dtypes, shapes,
 * layouts; gives an immutable, re-entrant object), launch (many times, from any thread). A launch
 * allocates no memory of the device or of the host table, never blocks and never synchronises;
 * scratch memory is asked for in prepare. Shapes and attributes were checked by the op's schema, so
 * kernels do not check them again. An operator all of whose outputs are empty gets no kernel;
 * inputs may be empty where an output is not.
 *
 * Arguments. An op has input and output slots, in the order of its schema. A slot is required,
 * optional (an absent one is an argument with dtype LOCI_DTYPE_NONE) or variadic (any number of
 * arguments). Arguments come flat, slot after slot; input_slots says where each slot begins. An
 * output that `updates` an input is that same memory.
 */
#ifndef LOCI_ABI_KERNELS_H_
#define LOCI_ABI_KERNELS_H_

#include <loci/abi/base.h>

#define LOCI_KERNELS_INTERFACE "loci.kernels"
#define LOCI_KERNELS_MINOR 0

/* The most kernels that defs() may give; a host refuses more. */
#define LOCI_MAX_KERNELS 65536

#ifdef __cplusplus
extern "C" {
#endif

/* Layout ids. Others are interned by the host (loci_host_api.layout_intern), opaque, private to
 * the plugin that interned them and never saved. Where the bytes of a value in one depend on more
 * than its dtype, its dims and its elements, the layout's text says it. */
#define LOCI_LAYOUT_PLAIN UINT32_C(0)        /* described by dims and strides */
#define LOCI_LAYOUT_ANY UINT32_C(0xFFFFFFFF) /* prepare may choose, and says its choice */

/* Where the bytes of a view are. */
enum {
  LOCI_RESIDENCE_DEVICE = 0,
  LOCI_RESIDENCE_HOST = 1,    /* readable by the host during launch */
  LOCI_RESIDENCE_METADATA = 2 /* only dims and dtype count; data is NULL */
};

/* A tensor as a launch sees it. Frozen for the ABI major. */
typedef struct loci_view {
  void* data;             /* NULL for absent, empty and metadata-only arguments */
  const int64_t* dims;    /* rank of them, each >= 0 */
  const int64_t* strides; /* in elements; NULL: dense, last dimension fastest */
  uint64_t bytes;         /* readable (inputs) or writable (outputs) bytes at data */
  uint32_t layout;        /* LOCI_LAYOUT_PLAIN or an interned id */
  int32_t rank;
  loci_dtype dtype;
  uint32_t residence;
} loci_view;

/* Attribute kinds; lists live behind `items`. */
enum {
  LOCI_ATTR_BOOL = 0,
  LOCI_ATTR_INT = 1,
  LOCI_ATTR_FLOAT = 2,
  LOCI_ATTR_STRING = 3,
  LOCI_ATTR_DTYPE = 4,
  LOCI_ATTR_INTS = 5,
  LOCI_ATTR_FLOATS = 6,
  LOCI_ATTR_STRINGS = 7
};

/* An attribute of an op. All attributes of the schema are there, defaults filled in. */
typedef struct loci_attr {
  loci_str name;
  uint32_t kind;
  uint32_t reserved_zero;
  int64_t integer;   /* BOOL, INT, DTYPE */
  double real;       /* FLOAT */
  loci_str text;     /* STRING */
  const void* items; /* INTS: int64_t; FLOATS: double; STRINGS: loci_str */
  uint64_t item_count;
} loci_attr;

/* loci_arg.flags */
enum {
  /* An input that no run of the program changes: the same elements for every launch of a plan,
   * until somebody else sets it. Its layout is LOCI_LAYOUT_ANY. */
  LOCI_ARG_CONSTANT = 1 << 0
};

/* An argument as supports, create and prepare see it. */
typedef struct loci_arg {
  const int64_t* dims; /* NULL while only the rank is known */
  loci_dtype dtype;    /* LOCI_DTYPE_NONE: absent */
  int32_t rank;
  uint32_t layout; /* LOCI_LAYOUT_PLAIN, LOCI_LAYOUT_ANY or an interned id */
  uint32_t residence;
  uint32_t flags;
  uint32_t reserved_zero;
} loci_arg;

/* An operator with its arguments. */
typedef struct loci_op_desc {
  uint32_t struct_size;
  uint32_t version; /* of the op's schema */
  loci_str op;
  const loci_attr* attrs;
  uint64_t attr_count;
  const loci_arg* inputs;
  const loci_arg* outputs;
  /* Slot s has the arguments [slots[s], slots[s+1]); slot_count + 1 entries each. */
  const uint32_t* input_slots;
  const uint32_t* output_slots;
  uint32_t input_slot_count;
  uint32_t output_slot_count;
  /* What one launch costs by the op's schema: floating-point operations, and bytes read and
   * written. Told to create and prepare. 0 where it is unknown: to supports, and of a kernel that
   * is SHAPE_AGNOSTIC, whose launches cost different things. */
  uint64_t flops;
  uint64_t bytes;
} loci_op_desc;

/* loci_kernel_def.flags */
enum {
  LOCI_KERNEL_SHAPE_AGNOSTIC = 1 << 0, /* one prepared object serves every shape of those ranks */
  /* Of a random op: adds the third element of a state that has one to the op's offset. A kernel
   * without it is asked about states of two elements alone, since the replays of a captured graph
   * would all draw the same numbers by it. */
  LOCI_KERNEL_COUNTED_STATE = 1 << 1,
  /* A launch does nothing but enqueue work of the device, which its arguments alone determine: so
   * it may be recorded into a device graph (capture.h), and each replay of that computes anew from
   * what the arguments hold then. It reads no host memory but views that are host-resident, with
   * which the host records no launch, and neither its state nor a counter of its own changes what
   * it enqueues. */
  LOCI_KERNEL_CAPTURABLE = 1 << 2,
  /* It may be asked about values that are not plain: an output of LOCI_LAYOUT_ANY, for which
   * prepare may choose a layout, and an input in a layout that a kernel of the same plugin chose
   * for its output. prepare declines what it cannot read, and the host goes on with plain values.
   * An output lies in the memory of an input only where both have the same layout. */
  LOCI_KERNEL_OWN_LAYOUTS = 1 << 3
};

/* loci_launch.flags */
enum {
  /* The stream records: what the launch enqueues becomes part of a device graph, and does not run
   * now. Only for a kernel that is LOCI_KERNEL_CAPTURABLE. */
  LOCI_LAUNCH_CAPTURING = 1 << 0
};

/* Output `output` may lie in the memory of input `input` (flat indices): a permission. */
typedef struct loci_alias {
  uint32_t input;
  uint32_t output;
} loci_alias;

/* One implementation. A plugin lists its kernels best first; for an operator the first one whose
 * supports() accepts and whose prepare() does not decline is taken. STATIC. */
typedef struct loci_kernel_def {
  uint32_t struct_size;
  uint32_t flags;
  loci_str op;
  loci_str name; /* of the implementation, for reports: "onednn", "portable" */
  /* dtypes of the first input that is present and not host-resident; of the first output, if there
   * is none */
  uint64_t dtype_mask;
  const loci_alias* aliases;
  uint64_t alias_count;
  uint64_t token; /* the plugin's own */
  /* The version of the op's schema that it was written for; the host asks it about no other. */
  uint32_t op_version;
  uint32_t reserved_zero;
  /* Without LOCI_KERNEL_CAPTURABLE, why; "it waits for the device to size its output". Messages say
   * it to users. Empty: no reason is known. */
  loci_str not_capturable;
} loci_kernel_def;

/* Why supports() refused; text is copied by the host before the next call on the same thread. */
typedef struct loci_reason {
  loci_str text;
} loci_reason;

/* What one launch gets. It grows only through `flags` and `tail`. */
typedef struct loci_launch {
  const loci_view* const* inputs;
  const loci_view* const* outputs;
  void* workspace; /* workspace_bytes, 64-byte aligned; undefined content */
  void* state; /* host memory, state_bytes kept per frame of a plan; zero before the first launch */
  loci_stream* stream;
  uint64_t correlation; /* joins device records of this launch to its op */
  uint64_t flags;       /* LOCI_LAUNCH_* */
  const void* tail;     /* NULL */
} loci_launch;

/* What prepare gives. The host fills struct_size and points the layout arrays at storage of its
 * own (one entry per flat argument, preset to LOCI_LAYOUT_PLAIN); prepare changes an entry only
 * where the argument's layout was LOCI_LAYOUT_ANY. */
typedef struct loci_prepared_info {
  uint32_t struct_size;
  uint32_t reserved_zero;
  loci_prepared* prepared;
  loci_error* (*launch)(const loci_prepared* prepared, const loci_launch* launch);
  uint64_t workspace_bytes;
  uint64_t state_bytes;
  uint32_t* input_layouts;
  uint32_t* output_layouts;
  /* Host memory that the prepared kernel keeps until destroy_prepared, generated code too, about:
   * the host keeps prepared kernels within a limit. 0 for no more than a KiB. */
  uint64_t memory_bytes;
} loci_prepared_info;

typedef struct loci_kernels_api {
  uint32_t struct_size;
  uint32_t minor;

  /* The device type whose ops these kernels compute. STATIC. */
  loci_str device_type;

  const loci_kernel_def* (*defs)(loci_plugin* plugin, uint64_t* out_count);
  /* 1 if the kernel can compute that operator; else 0 and a reason. Cheap: nothing is built. */
  int32_t (*supports)(loci_plugin* plugin, const loci_kernel_def* def, const loci_op_desc* op,
                      loci_reason* out_reason);
  loci_error* (*create)(loci_plugin* plugin, const loci_kernel_def* def, loci_device* device,
                        const loci_op_desc* op, loci_kernel** out_kernel);
  void (*destroy)(loci_kernel* kernel);
  /* `op` has dtypes, ranks and (unless the kernel is shape-agnostic) dims of this preparation. The
   * prepared object may outlive the kernel. LOCI_CODE_UNSUPPORTED declines the operator, and the
   * message is why: the host goes on with the next kernel, and asks this one about operators alike
   * no more. Any other error is the user's. */
  loci_error* (*prepare)(loci_kernel* kernel, const loci_op_desc* op, loci_prepared_info* out_info);
  void (*destroy_prepared)(loci_prepared* prepared);
  /* Copies `source`, in the plain layout, into `target`, in an interned one of this plugin, which
   * prepare chose for a constant input of that dtype and those dims. From any thread, in stream
   * order; both views are device-resident. NULL if the plugin interns none. */
  loci_error* (*relayout)(loci_plugin* plugin, loci_device* device, const loci_view* source,
                          const loci_view* target, loci_stream* stream, uint64_t correlation);
} loci_kernels_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_KERNELS_H_ */
