/* What a profile holds: the one immutable result that every reporter shows.
 *
 * The host fills it, a reporter (profile_reporter.h) reads it; all of it stays valid and unchanged
 * while a report is made. Times are nanoseconds since the session began, on one clock: the host
 * converts what devices measure. Structs that travel in arrays are frozen for the ABI major;
 * loci_profile grows at its end.
 *
 * Spans are what threads of the host did, nested: an operator, its phases, a copy. Device spans are
 * what devices did; each belongs to the innermost host span that launched it. The call tree sums
 * spans by their path. A path is made of (kind, name, instance), never of text that is parsed.
 */
#ifndef LOCI_ABI_PROFILE_H_
#define LOCI_ABI_PROFILE_H_

#include <loci/abi/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No index, no thread. */
#define LOCI_PROFILE_NONE UINT32_MAX

/* Kinds of host spans. */
enum {
  LOCI_SPAN_OP = 0,        /* an operator: name is its type, instance its name in the program */
  LOCI_SPAN_GRADIENT = 1,  /* what the gradient of an operator runs: name is "relu_grad" */
  LOCI_SPAN_PHASE = 2,     /* of an operator: "prepare_data", "infer_shape" or "compute" */
  LOCI_SPAN_COPY = 3,      /* a transfer, or a copy within a place; name is "copy" */
  LOCI_SPAN_FRAMEWORK = 4, /* a part of the framework, by a fixed name: "feed", "fetch" */
  LOCI_SPAN_RUN = 5,       /* one run of an executor, one replay of a graph; holds the rest */
  LOCI_SPAN_USER = 6,      /* a range of the application; detail is its info */
  LOCI_SPAN_WAIT = 7,      /* the host waits for a device: name is "synchronize" */
  LOCI_SPAN_CALL = 8,      /* a call of a device's interface, as its source reports it */
  LOCI_SPAN_KIND_COUNT = 9
};

/* What a span is of: interned, one for each distinct set of these members. */
typedef struct loci_profile_label {
  uint32_t kind;
  uint32_t reserved_zero;
  loci_str name;
  loci_str instance; /* of an operator, else empty */
  loci_str place;    /* "sim:0": where an operator runs, what a wait waits for; may be empty */
  loci_str kernel;   /* of an operator: the implementation, "onednn" */
  /* Of an operator its arguments with dtypes and shapes, of a user range its info. */
  loci_str detail;
  uint64_t flops; /* of one call; 0 where it is not known */
  uint64_t bytes; /* of one call: an operator reads and writes them, a copy copies them */
  /* Of a copy, else empty. */
  loci_str variable;
  loci_str producer; /* operators by name */
  loci_str consumer;
  loci_str reason; /* "prepare_data"; "local" within one place */
  loci_str source; /* places */
  loci_str target;
} loci_profile_label;

/* loci_profile_span.flags */
enum {
  LOCI_SPAN_TRUNCATED = 1 << 0,   /* still open when the session ended */
  LOCI_SPAN_HOST_WAITED = 1 << 1, /* a copy for which the thread waited */
  LOCI_SPAN_FAILED = 1 << 2,      /* left by an error */
  /* A part of an operator's call that another span counts, mostly of another thread: the inputs
   * are copied, the call is planned. Its time is the operator's. */
  LOCI_SPAN_PART = 1 << 3
};

/* Something that a thread of the host did. */
typedef struct loci_profile_span {
  uint64_t begin_ns;
  uint64_t end_ns;
  uint64_t correlation; /* of what it launched; 0: nothing */
  uint64_t self_ns;     /* of its time, what no span within it covers */
  uint64_t device_ns;   /* sum over all device work launched in it and in what it contains */
  uint32_t label;
  uint32_t parent; /* index of the span around it, or LOCI_PROFILE_NONE */
  uint32_t thread;
  uint32_t node; /* in the merged call tree */
  uint32_t depth;
  uint32_t flags;
} loci_profile_span;

/* Kinds of device work. */
enum { LOCI_DEVICE_WORK_KERNEL = 0, LOCI_DEVICE_WORK_COPY = 1, LOCI_DEVICE_WORK_FILL = 2 };
/* Ends of a device copy, where the source knows them. */
enum {
  LOCI_COPY_UNKNOWN = 0,
  LOCI_COPY_HOST_TO_DEVICE = 1,
  LOCI_COPY_DEVICE_TO_HOST = 2,
  LOCI_COPY_DEVICE_TO_DEVICE = 3,
  LOCI_COPY_PEER = 4
};

/* How a kernel was launched; all zero where a device has no such thing. */
typedef struct loci_launch_geometry {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t registers; /* per thread */
  uint32_t reserved_zero;
  uint64_t static_shared;  /* bytes per block */
  uint64_t dynamic_shared; /* bytes per block */
  double occupancy;        /* in (0, 1]; 0 where it is not known */
} loci_launch_geometry;

/* Something that a device did. */
typedef struct loci_profile_device_span {
  uint64_t begin_ns;
  uint64_t end_ns;
  uint64_t correlation;
  uint64_t bytes; /* of a copy, a fill or a collective */
  loci_str name;  /* of the kernel; "memcpy HtoD" and the like */
  uint32_t kind;
  uint32_t direction; /* of a copy */
  uint32_t device;    /* index of the profile's devices */
  uint32_t stream;    /* number within the device */
  uint32_t span;      /* the innermost host span that launched it, or LOCI_PROFILE_NONE */
  uint32_t graph;     /* of a captured graph's work its number in the process; 0: none */
  uint64_t replay;    /* of that graph, counted from 1; 0: none */
  /* Of a collective, what this device sends by the algorithm that was chosen: of a ring of n,
   * 2 (n - 1) / n times `bytes`; 0: it is none. */
  uint64_t algorithm_bytes;
  loci_launch_geometry geometry;
} loci_profile_device_span;

/* A node of a call tree, in preorder: `descendants` nodes follow it. Ratios and means are the
 * reader's to compute. */
typedef struct loci_profile_node {
  uint64_t calls;    /* may be 0 where there are only parts */
  uint64_t parts;    /* spans with LOCI_SPAN_PART; they count for times alone */
  uint64_t total_ns; /* host time, its descendants' included */
  uint64_t self_ns;
  uint64_t min_ns; /* of a call; 0 without one */
  uint64_t max_ns;
  uint64_t device_ns;       /* sum over device work, its descendants' included */
  uint64_t device_union_ns; /* time in which at least one such work ran */
  uint64_t flops;           /* over all calls */
  uint64_t bytes;
  uint32_t label;  /* of its first call: the node's kind, name and instance */
  uint32_t parent; /* LOCI_PROFILE_NONE for a top node */
  uint32_t descendants;
  uint32_t depth;
  uint32_t thread;      /* LOCI_PROFILE_NONE in the merged tree */
  uint32_t first_order; /* how many nodes of its tree ended their first call before this one */
  /* Its spans, by time: node_spans[first_span] and on, as many as there are calls and parts. */
  uint64_t first_span;
} loci_profile_node;

/* One recorded step: between calls of step(), or a run where the application marks none. */
typedef struct loci_profile_step {
  uint64_t begin_ns;
  uint64_t end_ns;
  uint64_t number; /* counted from the first step of the session, skipped ones included */
} loci_profile_step;

/* Where the time of a thread went, from its first to its last moment in the session. The three
 * parts are measured independently: their sum differs from wall_ns by what is wrong with the
 * profile. */
typedef struct loci_profile_thread {
  uint64_t os_id;
  loci_str name;
  uint64_t wall_ns;        /* the whole session for the thread that began it, else first to last */
  uint64_t self_ns;        /* in spans, without waiting */
  uint64_t idle_ns;        /* waiting for a device or a copy */
  uint64_t unaccounted_ns; /* outside of any span */
  uint32_t number;         /* in order of the first span; the index of the array */
  uint32_t span_count;
} loci_profile_thread;

/* How fast memory was where calls moved that many bytes: a call that moves little has what it reads
 * and writes in a cache. */
typedef struct loci_profile_memory_level {
  uint64_t call_bytes; /* read and written, by one call */
  double bytes;        /* per second, by this machine's calibration */
} loci_profile_memory_level;

/* A device that took part, the host's processor included. */
typedef struct loci_profile_device {
  loci_str place; /* "sim:0" */
  loci_str name;
  loci_str driver;
  uint32_t is_accelerator;
  uint32_t stream_count;
  uint64_t busy_ns;       /* time in which at least one work ran */
  uint64_t total_ns;      /* sum of the work's times */
  double measured_flops;  /* per second, f32, by this machine's calibration; 0: not measured */
  double measured_bytes;  /* per second, of its memory, beyond all caches */
  double described_flops; /* per second, as the device describes itself; 0: it does not */
  double described_bytes;
  uint64_t total_memory; /* bytes; 0: not known */
  /* By call_bytes, smallest first; the rates never rise. The last is of measured_bytes. The
   * yardstick of a call is the last level that moves no more than it does, else the first. */
  const loci_profile_memory_level* levels;
  uint64_t level_count; /* 0: not measured */
  /* 1 if launching returns before the work is done: a host span then is not the time of the work,
   * which is not known where no device work belongs to the span. */
  uint32_t is_queued;
  uint32_t reserved_zero;
} loci_profile_device;

/* Copies of one label, summed. */
typedef struct loci_profile_copy {
  uint32_t label;
  uint32_t crosses; /* 1 between places, 0 within one */
  uint64_t calls;
  uint64_t waited; /* calls for which the host waited */
  uint64_t bytes;
  uint64_t host_ns;
  uint64_t device_ns;
} loci_profile_copy;

/* An allocation or release. */
typedef struct loci_profile_memory_event {
  uint64_t at_ns;
  uint64_t address;
  uint64_t bytes;
  uint64_t in_use; /* bytes at that place after it, counted from the session's start */
  uint32_t tensor; /* index of the profile's tensors */
  uint32_t span;   /* the host span in which it came, or LOCI_PROFILE_NONE */
  uint32_t is_free;
  uint32_t reserved_zero;
} loci_profile_memory_event;

/* Memory by name and place. */
typedef struct loci_profile_tensor {
  loci_str name;
  loci_str place;
  uint64_t allocations;
  uint64_t allocated_bytes;
  uint64_t frees;
  uint64_t freed_bytes;
  uint64_t peak_bytes; /* at one time, of this name */
} loci_profile_tensor;

/* Why a device was idle. */
enum {
  LOCI_GAP_HOST_LATE = 0,       /* the work after the gap had not been launched yet */
  LOCI_GAP_WAITS_FOR_COPY = 1,  /* its thread was in a copy that it waits for */
  LOCI_GAP_WAITS_FOR_DEVICE = 2 /* it had been launched, and waited for work elsewhere */
};

/* A time in which a device that has work before and after it did nothing. */
typedef struct loci_profile_gap {
  uint64_t begin_ns;
  uint64_t end_ns;
  uint32_t device;
  uint32_t cause;
  uint32_t span; /* the host span that explains it, or LOCI_PROFILE_NONE */
  uint32_t next; /* index of the device span that ends it */
} loci_profile_gap;

/* Records that were lost, by kind. */
typedef struct loci_profile_drop {
  loci_str kind; /* "span", "memory", "device" */
  uint64_t count;
} loci_profile_drop;

/* How far the figures can be trusted. */
typedef struct loci_profile_quality {
  uint32_t struct_size;
  uint32_t reserved_zero;
  const loci_profile_drop* drops;
  uint64_t drop_count;
  uint64_t truncated_spans;
  uint64_t unattributed_device_spans; /* launched outside of every recorded span */
  uint64_t unattributed_device_ns;
  uint64_t clock_error_ns; /* largest residual of the fit between the clocks */
  loci_str clock;          /* "tsc" or "monotonic" */
  uint64_t own_cost_ns;    /* what recording cost the threads: records times the measured cost */
  uint64_t drain_cost_ns;  /* processor time of the thread that collects */
  const loci_str* notes;   /* sentences: "sim: ..." */
  uint64_t note_count;
} loci_profile_quality;

/* Levels of recording. */
enum {
  LOCI_PROFILE_LEVEL_OFF = 0,
  LOCI_PROFILE_LEVEL_OP = 1,    /* one span per operator */
  LOCI_PROFILE_LEVEL_DETAIL = 2 /* its phases too, and allocations */
};

typedef struct loci_profile {
  uint32_t struct_size;
  uint32_t level;       /* LOCI_PROFILE_LEVEL_* that was recorded */
  uint32_t main_thread; /* the one that began the session */
  uint32_t reserved_zero;
  uint64_t wall_ns;
  uint64_t started_at_unix_ns;
  uint64_t process_id;
  uint32_t rank;       /* of this process among those that compute together, from 0 */
  uint32_t world_size; /* how many they are; 1: it is alone */
  loci_str program;    /* name of the executable */
  loci_str version;    /* of Loci */
  loci_str build;      /* identifies the build of libloci */
  loci_str machine;    /* processor, cores, operating system */

  const loci_profile_label* labels;
  uint64_t label_count;
  const loci_profile_thread* threads;
  uint64_t thread_count;
  const loci_profile_device* devices;
  uint64_t device_count;
  const loci_profile_step* steps;
  uint64_t step_count;

  const loci_profile_span* spans; /* by thread, then by time; a span before those within it */
  uint64_t span_count;
  const loci_profile_device_span* device_spans; /* by device, then by time */
  uint64_t device_span_count;

  const loci_profile_node* nodes; /* the merged call tree */
  uint64_t node_count;
  const uint32_t* node_spans;            /* see loci_profile_node.first_span */
  const loci_profile_node* thread_nodes; /* the call trees of the threads, one after the other */
  uint64_t thread_node_count;
  const uint32_t* thread_node_spans;

  const loci_profile_copy* copies; /* by bytes, most first */
  uint64_t copy_count;
  const loci_profile_memory_event* memory_events; /* by time */
  uint64_t memory_event_count;
  const loci_profile_tensor* tensors; /* by peak, largest first */
  uint64_t tensor_count;
  const loci_profile_gap* gaps; /* by device, then by time */
  uint64_t gap_count;

  const loci_profile_quality* quality;
} loci_profile;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_PROFILE_H_ */
