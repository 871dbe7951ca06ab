/* Interface "loci.device": devices, their memory, streams and events.
 *
 * The device is always an argument, never state of a thread. Addresses that mem_alloc returns are
 * base + offset in the backend's own space; the host adds offsets to them and never dereferences
 * one unless the device works in host memory. What the host passes (a view, a workspace, a target
 * of fill, either end of a copy) lies within one allocation, even where two have neighbouring
 * addresses. So a backend that has only handles reserves a range of addresses and maps back; where
 * there are few of them, loci_device_info.max_allocations says so.
 *
 * Streams progress independently: what a stream was given begins once the earlier work of that
 * stream and what it waits for have ended, whatever other streams have still to do. That is a
 * matter of order and not of speed: a device that runs one piece of work at a time takes the next
 * one from any stream where one is ready. Where all streams end in one queue, which a piece of work
 * that has to wait holds up for all of them, the device says LOCI_DEVICE_ONE_QUEUE. A stream is
 * used by any thread, by several at a time and by one after the other.
 *
 * Loss. A device whose work cannot go on, whatever is tried (it fell off the bus, a kernel took its
 * context along), is lost. From the first LOCI_CODE_DEVICE_LOST on, which any function may return,
 * all that enqueue, allocate, wait or query return it, with a message that says by what it was
 * lost; take_async_error does so every time it is called, after what it has to tell
 * of single pieces of work, such as the one that took the device along. None of them hangs. What
 * gives back stays allowed: mem_free, host_unregister, the destroy functions and close release what
 * the backend holds on the host, and may return the code or succeed. The host may open the index
 * again while the lost loci_device still waits for its close, since others refer to its objects: an
 * error if the device is not back yet, else a new loci_device that knows nothing of those. It may
 * also give up a device that hangs, of which it never hears such a code: then it calls no function
 * of that loci_device and its objects any more, close included, and may open the index again.
 *
 * Faults on demand. `loci verify` has a plugin fail by settings (config_get in host.h), each a
 * count n, 0 for never; create refuses any other text. They count from 1, for each device from its
 * open.
 *  - fail_alloc, fail_copy, fail_launch, fail_event: the n-th mem_alloc, copy or fill, launch, or
 *    event_record returns an error, that call alone; it has done nothing, and what follows works.
 *  - fail_task: the n-th copy, fill or kernel fails as it runs, which take_async_error tells.
 *  - lose_device: that kernel takes the device along, which is lost from then on (see above).
 * A plugin takes those that it likes; errors of the others go unchecked.
 */
#ifndef LOCI_ABI_DEVICE_H_
#define LOCI_ABI_DEVICE_H_

#include <loci/abi/base.h>

#define LOCI_DEVICE_INTERFACE "loci.device"
#define LOCI_DEVICE_MINOR 0

/* The most devices that count() may give; a host refuses more. */
#define LOCI_MAX_DEVICES 1024

#ifdef __cplusplus
extern "C" {
#endif

/* loci_device_info.flags */
enum {
  /* launch returns when the work is done; the host queues. Streams and events may be absent.
   * Without this flag the device is queued: launch enqueues into the stream and returns. */
  LOCI_DEVICE_INLINE = 1 << 0,
  /* The device works in host memory, which the host allocates: mem_alloc and copy may be NULL. */
  LOCI_DEVICE_HOST_MEMORY = 1 << 1,
  /* Counts as an accelerator: candidates for the place "gpu". */
  LOCI_DEVICE_ACCELERATOR = 1 << 2,
  /* All streams of the device are one queue: its work runs in the order in which the calls of all
   * streams enqueue it, one piece after the other, so that what is enqueued behind a wait in one
   * stream is behind it in every stream. The rules of streams and events hold as they do without:
   * the host asks for several and orders them by events. */
  LOCI_DEVICE_ONE_QUEUE = 1 << 3
};

/* Flags of event_create. */
enum {
  LOCI_EVENT_TIMED = 1 << 0 /* event_elapsed_ns may be asked of it; one without may cost less */
};

/* Kinds of memory. A device that has none of a kind says LOCI_CODE_UNSUPPORTED. */
enum {
  LOCI_MEMORY_DEVICE = 0,
  /* Host memory that the device copies from and to without staging. The host asks for it where the
   * device does not register the host's own. Refusing it is always allowed, by any error: copies
   * then are of pageable memory. */
  LOCI_MEMORY_PINNED = 1
};

/* What describe() fills. */
typedef struct loci_device_info {
  uint32_t struct_size;
  uint32_t flags;
  loci_str name;         /* STATIC, "Intel(R) Xeon(R) ..." */
  loci_str arch;         /* STATIC, "avx512_core_amx", "sm_90" */
  loci_str uuid;         /* STATIC, empty if it has none */
  loci_str driver;       /* STATIC, version of the driver or library behind it */
  uint64_t total_memory; /* bytes */
  uint64_t alignment;    /* of what mem_alloc returns, bytes; a power of two, 64 or more */
  uint64_t min_chunk;    /* the host asks for multiples of this many bytes */
  uint32_t compute_units;
  /* The range of stream priorities: greatest <= 0 <= least, as the lower number is the greater
   * priority. Both are 0 where streams have none. */
  int32_t least_priority;
  int32_t greatest_priority;
  uint32_t reserved_zero;
  /* What the device can do at most by its description, for profiles; 0: it does not say. */
  double peak_flops; /* per second, float32 */
  double peak_bytes; /* per second, of its memory, read and written */
  /* The most allocations of LOCI_MEMORY_DEVICE that the device has at a time, as where each is a
   * buffer object of a driver with a table of them; mem_alloc refuses one more with
   * LOCI_CODE_OUT_OF_MEMORY. The host shares out what it has then. 0: as many as there is memory
   * for. */
  uint64_t max_allocations;
} loci_device_info;

/* Where one end of a copy lies. */
enum {
  LOCI_END_HOST = 0,
  LOCI_END_DEVICE = 1, /* the device whose function is called */
  LOCI_END_PEER = 2    /* another device of the same plugin */
};

/* One copy: `rows` rows of `row_bytes`; for a flat copy rows is 1 and the pitches are ignored. One
 * end at least is LOCI_END_DEVICE. The ends do not overlap, from their first byte to their last.
 *
 * A copy from a peer is a call of the target's device, with a stream of the target. It is ordered
 * by that stream alone: that the peer's work on the source ends before, and later work there begins
 * after, the host sees to, by events of one device that a stream of the other waits for. A plugin
 * may refuse any two devices with LOCI_CODE_UNSUPPORTED, also pair by pair; the host then copies
 * through its own memory. Any other code fails what needed the copy. */
typedef struct loci_copy {
  uint32_t struct_size;
  uint32_t source_end;
  uint32_t target_end;
  uint32_t reserved_zero;
  const void* source;
  void* target;
  uint64_t row_bytes;
  uint64_t rows;
  uint64_t source_pitch; /* bytes from row to row, row_bytes or more */
  uint64_t target_pitch;
  loci_device* peer; /* with LOCI_END_PEER, else NULL */
  uint64_t correlation;
} loci_copy;

/* A function of the host's that a stream runs. Does not throw or unwind. It may wait for no work of
 * a device, and calls none of the device's functions. */
typedef void (*loci_host_fn)(void* context);

typedef struct loci_device_api {
  uint32_t struct_size;
  uint32_t minor;

  /* The device type that this table brings; lower case. STATIC. */
  loci_str device_type;

  /* Whether this machine has such a device, without opening one. *out_score is 0 if not, with a
   * reason in *out_reason (STATIC); between two backends of a type the higher score wins. */
  loci_error* (*probe)(loci_plugin* plugin, int32_t* out_score, loci_str* out_reason);
  /* How many there are, open or not; at most LOCI_MAX_DEVICES. */
  loci_error* (*count)(loci_plugin* plugin, uint32_t* out_count);
  loci_error* (*describe)(loci_plugin* plugin, uint32_t index, loci_device_info* out_info);
  loci_error* (*open)(loci_plugin* plugin, uint32_t index, loci_device** out_device);
  void (*close)(loci_device* device);

  /* Memory. An allocation, of `bytes` > 0, is usable by work enqueued on `stream` after the call; a
   * free is ordered behind the work enqueued there. Without a stream (NULL) it is usable by work of
   * every stream, and a free comes when no work uses the memory any more. Out of memory is
   * LOCI_CODE_OUT_OF_MEMORY. */
  loci_error* (*mem_alloc)(loci_device* device, uint32_t kind, uint64_t bytes, loci_stream* stream,
                           void** out_pointer);
  loci_error* (*mem_free)(loci_device* device, uint32_t kind, void* pointer, loci_stream* stream);
  loci_error* (*mem_info)(loci_device* device, uint64_t* out_free, uint64_t* out_total);
  /* Makes host memory of the caller pinned, until it is unregistered by its first address, when no
   * work uses it any more; NULL where there is no such thing. */
  loci_error* (*host_register)(loci_device* device, void* pointer, uint64_t bytes);
  loci_error* (*host_unregister)(loci_device* device, void* pointer);

  /* Copies in stream order. *out_blocked becomes 1 if the host waited for the copy (pageable
   * memory), 0 if it was only enqueued; then both ends stay valid until the stream reaches it. */
  loci_error* (*copy)(loci_device* device, const loci_copy* copy, loci_stream* stream,
                      uint32_t* out_blocked);
  /* Repeats a pattern of 1, 2, 4 or 8 bytes over `bytes` bytes, in stream order; `target` and
   * `bytes` are multiples of the pattern's size. */
  loci_error* (*fill)(loci_device* device, void* target, uint64_t bytes, const void* pattern,
                      uint32_t pattern_bytes, loci_stream* stream, uint64_t correlation);

  /* Streams. An inline device may leave these NULL: the host then passes NULL streams. A queued one
   * gets a stream with every launch, copy and fill. `priority` is within the range that describe()
   * gave: where work of several streams is ready and the device does not run it all at once, that
   * of the greater priority begins first. What has begun is not interrupted. */
  loci_error* (*stream_create)(loci_device* device, int32_t priority, loci_stream** out_stream);
  /* Work enqueued before still runs to its end, before or after the call returns; events recorded
   * in the stream, and waits for them, stay valid. */
  void (*stream_destroy)(loci_stream* stream);
  /* *out_done is 1 when all work enqueued so far has ended; a running task counts as not done. */
  loci_error* (*stream_query)(loci_stream* stream, uint32_t* out_done);
  loci_error* (*stream_synchronize)(loci_stream* stream);
  /* Later work of `stream` waits for the record of `event` that was latest when this is called. */
  loci_error* (*stream_wait_event)(loci_stream* stream, loci_event* event);
  /* Calls function(context) in stream order, on a thread of the backend's; later work of the stream
   * comes after it. It is called once if this returns no error, whatever has become of the work
   * before it: on a device that is lost, too. NULL: a thread of the host waits for the stream
   * and calls it, and what follows in the stream is enqueued after that. */
  loci_error* (*launch_host)(loci_stream* stream, loci_host_fn function, void* context,
                             uint64_t correlation);

  /* An event is recorded in streams of its device; those of the plugin's other devices may wait
   * for it too. One that was never recorded is done, and nothing waits for it; one whose work has
   * failed is done too, and take_async_error says what failed. */
  loci_error* (*event_create)(loci_device* device, uint32_t flags, loci_event** out_event);
  void (*event_destroy)(loci_event* event);
  /* May be called while another thread uses the stream: memory changes hands between streams. */
  loci_error* (*event_record)(loci_event* event, loci_stream* stream);
  loci_error* (*event_query)(loci_event* event, uint32_t* out_done);
  loci_error* (*event_synchronize)(loci_event* event);
  /* Between two events that are timed, recorded and done; else an error. */
  loci_error* (*event_elapsed_ns)(loci_event* start, loci_event* end, uint64_t* out_ns);

  /* Waits for all work of the device. NULL: there is never any. */
  loci_error* (*synchronize)(loci_device* device);
  /* An error of enqueued work that has not been told yet, which names its launch; NULL if there is
   * none. *out_correlation is that of the launch, copy or fill that failed, and a device that gives
   * it tells every failure, by a call each, in the order in which they came: then only what may
   * have used that work's results fails with it. 0 if the device cannot tell, or keeps only the
   * first: all that it was given since it last said NULL is in question then. */
  loci_error* (*take_async_error)(loci_device* device, uint64_t* out_correlation);
  /* The backend's own object behind a name ("cuda.context", "cuda.stream"); NULL if none. */
  loci_error* (*native_handle)(loci_device* device, loci_stream* stream, loci_str name,
                               void** out_handle);
} loci_device_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_DEVICE_H_ */
