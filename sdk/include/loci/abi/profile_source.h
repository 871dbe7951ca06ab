/* Interface "loci.profile.source": what a device did, and when.
 *
 * A source belongs to a device type. While it is started it keeps a record of each launch, copy and
 * fill of its devices under the correlation id that the host gave, and hands the records over from
 * any thread of its own choice, or from within flush. It converts its clock to the host's
 * (loci_host_api.now_ns).
 */
#ifndef LOCI_ABI_PROFILE_SOURCE_H_
#define LOCI_ABI_PROFILE_SOURCE_H_

#include <loci/abi/base.h>
#include <loci/abi/profile.h>

#define LOCI_PROFILE_SOURCE_INTERFACE "loci.profile.source"
#define LOCI_PROFILE_SOURCE_MINOR 0

#ifdef __cplusplus
extern "C" {
#endif

/* Something that a device did. Frozen for the ABI major. */
typedef struct loci_device_record {
  uint64_t begin_ns; /* of the host's clock */
  uint64_t end_ns;
  uint64_t correlation; /* of the launch, copy or fill; 0 if the source does not know */
  uint64_t bytes;       /* of a copy, a fill or a collective */
  loci_str name;        /* borrowed for the call */
  uint32_t kind;        /* LOCI_DEVICE_WORK_* */
  uint32_t direction;   /* LOCI_COPY_* */
  uint32_t device;      /* index among the devices of that type */
  uint32_t stream;      /* a number that tells the device's streams apart */
  uint32_t graph;       /* of a captured graph's work its number in the process; 0: none */
  uint32_t reserved_zero;
  uint64_t replay;          /* of that graph, counted from 1; 0 without a graph */
  uint64_t algorithm_bytes; /* of a collective, what this device sends by its algorithm; else 0 */
  loci_launch_geometry geometry;
} loci_device_record;

/* A call of the device's interface by a thread of the host. Frozen for the ABI major. */
typedef struct loci_call_record {
  uint64_t begin_ns;
  uint64_t end_ns;
  uint64_t correlation; /* of what it launched, or 0 */
  uint64_t os_thread;   /* as gettid() gives it */
  loci_str name;        /* borrowed for the call */
} loci_call_record;

/* Where records go. Its functions may be called from any thread until stop has returned; they take
 * copies and do not block for long. */
typedef struct loci_profile_sink {
  uint32_t struct_size;
  uint32_t minor;
  void* context;
  void (*device_records)(void* context, const loci_device_record* records, uint64_t count);
  void (*call_records)(void* context, const loci_call_record* records, uint64_t count);
  /* That many records were lost. */
  void (*dropped)(void* context, uint64_t count);
  /* A sentence for the report's section on data quality. */
  void (*note)(void* context, loci_str text);
} loci_profile_sink;

/* What to record. */
enum { LOCI_PROFILE_DEVICE_WORK = 1 << 0, LOCI_PROFILE_CALLS = 1 << 1 };

typedef struct loci_profile_source_api {
  uint32_t struct_size;
  uint32_t minor;

  /* STATIC */
  loci_str device_type;

  /* Begins recording what `flags` ask for; the sink stays valid until stop has returned. An error
   * leaves the session without this source, and its message goes into the report. The host calls
   * start, flush and stop one at a time, and starts a source at most once before it stops it. */
  loci_error* (*start)(loci_plugin* plugin, uint32_t flags, const loci_profile_sink* sink);
  /* Hands over what is complete. The host has synchronised the devices. */
  loci_error* (*flush)(loci_plugin* plugin);
  loci_error* (*stop)(loci_plugin* plugin);

  /* Begins and ends the range that an external profiler of the vendor records ("capture range").
   * NULL where there is none. Calls nest no further than one. */
  loci_error* (*external_range_begin)(loci_plugin* plugin);
  loci_error* (*external_range_end)(loci_plugin* plugin);
} loci_profile_source_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_PROFILE_SOURCE_H_ */
