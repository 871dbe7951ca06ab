/* Interface "loci.capture": work of a stream that a device records once and then does again and
 * again at the price of one launch.
 *
 * A capturer belongs to a device type, whose devices another plugin brings ("loci.device"). It
 * meets them by what they call their own objects (native_handle in device.h) and by nothing else:
 * one that cannot do with a device declines it. Of a type there is one capturer in a process.
 * Without one, or where it declines or fails, the host launches the same work one by one.
 *
 * Life of a graph: begin puts a stream into the state of recording; the host launches kernels that
 * are LOCI_KERNEL_CAPTURABLE there, with LOCI_LAUNCH_CAPTURING, and copies within the device, each
 * announced by annotate; end takes the stream out of it and gives the graph, of which nothing has
 * run. instantiate makes an executable of a graph, which launch does, any number of times: in
 * stream order, as a whole, the ops one after the other or as their dependencies allow. Two
 * launches of an executable run one after the other, also in two streams. A graph may go before its
 * executables, and an executable while launches of it are queued: those run.
 *
 * While a stream records, nothing may wait for it or ask how far it is, no event is recorded in it,
 * and no memory of it is freed in its order: the backend refuses that with an error and the capture
 * is invalid from then on, so that end fails, with the reason. What other streams are given, by
 * whichever thread, is not affected, and no thread is left in another state than it was in.
 *
 * Memory that a graph uses is the host's: it stays allocated while an executable can be launched. A
 * capturer adds none of its own by nodes that allocate.
 */
#ifndef LOCI_ABI_CAPTURE_H_
#define LOCI_ABI_CAPTURE_H_

#include <loci/abi/base.h>

#define LOCI_CAPTURE_INTERFACE "loci.capture"
#define LOCI_CAPTURE_MINOR 0

#ifdef __cplusplus
extern "C" {
#endif

/* Objects of the plugin: a capturer of one open device, what was captured, and what is launched. */
typedef struct loci_capturer loci_capturer;
typedef struct loci_graph loci_graph;
typedef struct loci_graph_exec loci_graph_exec;

/* The device's native handles, as long as the capturer is open. */
typedef struct loci_native_handles {
  uint32_t struct_size;
  uint32_t reserved_zero;
  void* context;
  /* As native_handle of the device does. `stream` may be NULL. */
  loci_error* (*get)(void* context, loci_stream* stream, loci_str name, void** out_handle);
} loci_native_handles;

/* What status gives. */
enum {
  LOCI_CAPTURE_NONE = 0,
  LOCI_CAPTURE_ACTIVE = 1,
  LOCI_CAPTURE_INVALID = 2 /* something was refused while it recorded: end will fail */
};

/* The op whose work is issued next, until the next one. */
typedef struct loci_capture_op {
  uint32_t struct_size;
  uint32_t reserved_zero;
  loci_str op;   /* "relu", "copy"; profiles and dumps call its work so */
  uint64_t item; /* the host's number of it, greater than that of the one before */
} loci_capture_op;

/* What a graph consists of; the host fills struct_size. */
typedef struct loci_graph_stats {
  uint32_t struct_size;
  uint32_t reserved_zero;
  uint64_t kernels; /* nodes by kind */
  uint64_t copies;
  uint64_t fills;
  uint64_t others;
  uint64_t bytes; /* of host memory that the graph keeps, about */
} loci_graph_stats;

/* One launch of an executable. Grows at its end only. */
typedef struct loci_graph_launch {
  uint32_t struct_size;
  uint32_t graph;       /* of the host's Graph its number in the process; for device records */
  uint64_t replay;      /* of that graph, counted from 1; likewise */
  uint64_t correlation; /* work of item i has this + i, in device records and async errors */
  loci_stream* stream;
} loci_graph_launch;

typedef struct loci_capture_api {
  uint32_t struct_size;
  uint32_t minor;

  /* The device type whose streams it captures. STATIC. */
  loci_str device_type;

  /* Of the open device with that index. LOCI_CODE_UNSUPPORTED declines the device, and the message
   * is why. The host closes it before the device. */
  loci_error* (*open)(loci_plugin* plugin, uint32_t index, const loci_native_handles* handles,
                      loci_capturer** out_capturer);
  void (*close)(loci_capturer* capturer);

  /* A stream is captured by one thread, from begin to end or abort. Refuses, and leaves everything
   * as it was, a stream that records already. */
  loci_error* (*begin)(loci_capturer* capturer, loci_stream* stream);
  loci_error* (*annotate)(loci_capturer* capturer, loci_stream* stream, const loci_capture_op* op);
  /* The stream is free again in either case. A graph without nodes is one: its launch does nothing.
   * Refuses a stream that does not record. */
  loci_error* (*end)(loci_capturer* capturer, loci_stream* stream, loci_graph** out_graph);
  /* Gives up what was recorded, and does nothing without. */
  loci_error* (*abort)(loci_capturer* capturer, loci_stream* stream);
  loci_error* (*status)(loci_capturer* capturer, loci_stream* stream, uint32_t* out_status);

  loci_error* (*stats)(const loci_graph* graph, loci_graph_stats* out_stats);
  /* Tells a text of lines, a node each; write may be called several times. */
  loci_error* (*dump)(const loci_graph* graph, void (*write)(void* context, loci_str text),
                      void* context);
  void (*destroy_graph)(loci_graph* graph);

  loci_error* (*instantiate)(const loci_graph* graph, loci_graph_exec** out_exec);
  /* Enqueues and returns. By one thread at a time for an executable. */
  loci_error* (*launch)(loci_graph_exec* exec, const loci_graph_launch* launch);
  /* The two below change what later launches do, not those that are queued.
   *
   * patch: argument `argument` of the item (flat: inputs, then outputs; of a copy 0 is the source
   * and 1 the target) lies at `address` from now on. LOCI_CODE_UNSUPPORTED, with nothing changed,
   * where the capturer cannot tell which part of the item's work has the argument: the host
   * captures anew and updates.
   * update: the executable does what `graph` does, if that has the same nodes in the same order but
   * for addresses. LOCI_CODE_UNSUPPORTED, with nothing changed, if not, and the message names the
   * first node that differs, and how. */
  loci_error* (*patch)(loci_graph_exec* exec, uint64_t item, uint32_t argument, void* address);
  loci_error* (*update)(loci_graph_exec* exec, const loci_graph* graph);
  void (*destroy_exec)(loci_graph_exec* exec);

  /* Loops whose condition lies on the device; both NULL where no graph has any.
   *
   * Behind annotate of the loop, in a stream that records: what is issued into `body` from then
   * until loop_end is done again and again, as long as the byte at `condition`, memory of the
   * device, is not 0; that is looked at before each round, the first one too. `body` is another
   * stream of the device, which records until loop_end and gets what `stream` may get; nothing is
   * announced for it. LOCI_CODE_UNSUPPORTED where that cannot be done here; the message is why.
   * After an error, or without loop_end, end fails, and abort frees all streams. An item that is a
   * loop is neither patched nor updated.
   *
   * `stream` may itself be the body of what is open, with another stream for `body`, if the
   * capturer has branches; one that has loops alone refuses that. What was begun last ends first,
   * by the `stream` that it began with. */
  loci_error* (*loop_begin)(loci_capturer* capturer, loci_stream* stream, loci_stream* body,
                            const void* condition);
  loci_error* (*loop_end)(loci_capturer* capturer, loci_stream* stream);

  /* Branches that the device chooses; all three NULL where no graph has any, and only where there
   * are loops, of which all holds that is said above.
   *
   * What is issued into `body` from branch_begin until branch_else is done if the byte at
   * `condition` is not 0, and what is issued from then until branch_end if it is 0. The byte is
   * looked at once, before either: what is done may change it. Both parts are there, though there
   * may be nothing in them. */
  loci_error* (*branch_begin)(loci_capturer* capturer, loci_stream* stream, loci_stream* body,
                              const void* condition);
  loci_error* (*branch_else)(loci_capturer* capturer, loci_stream* stream);
  loci_error* (*branch_end)(loci_capturer* capturer, loci_stream* stream);

  /* Graphs that fork and join; NULL where each is a chain. Called right behind annotate: the op
   * that was announced begins when the work of those items has ended, which the same recording had
   * before, and waits for nothing else of it; with `count` 0 it begins with the graph. An op of
   * which it is not called begins when that of the op announced before it has ended. An item that
   * has no work counts as what it waits for. A launch has ended when all of its work has, whether
   * or not something waited for it. Loops and branches are told so too; of what is in a body it is
   * not called. Refuses an item that was not announced, and leaves the recording as it was. */
  loci_error* (*depend)(loci_capturer* capturer, loci_stream* stream, const uint64_t* items,
                        uint64_t count);
} loci_capture_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_CAPTURE_H_ */
