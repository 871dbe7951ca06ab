/* What the host offers to a plugin. Every function may be called from any thread. */
#ifndef LOCI_ABI_HOST_H_
#define LOCI_ABI_HOST_H_

#include <loci/abi/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Log levels. */
enum {
  LOCI_LOG_TRACE = 0,
  LOCI_LOG_DEBUG = 1,
  LOCI_LOG_INFO = 2,
  LOCI_LOG_WARN = 3,
  LOCI_LOG_ERROR = 4
};

/* The body of a parallel loop, called with disjoint ranges that cover [begin, end). It must not
 * throw or unwind. `worker` is below parallel_width() and differs between ranges that run at the
 * same time. */
typedef void (*loci_range_fn)(void* context, int64_t begin, int64_t end, uint32_t worker);

/* The host table. Its `host` member identifies the plugin to the host and is the first argument of
 * every function but those that take an error. */
typedef struct loci_host_api {
  uint32_t struct_size;
  uint32_t minor;
  loci_host* host;

  /* Whether a message of that level would be kept: test before formatting one. */
  int32_t (*log_enabled)(loci_host* host, int32_t level);
  void (*log)(loci_host* host, int32_t level, loci_str message, const char* file, int32_t line);

  /* Makes an error; never NULL. Takes ownership of `cause`, which may be NULL. */
  loci_error* (*error_make)(loci_host* host, loci_code code, loci_str message, loci_error* cause);
  loci_code (*error_code)(const loci_error* error);
  loci_str (*error_message)(const loci_error* error);        /* valid while the error lives */
  const loci_error* (*error_cause)(const loci_error* error); /* NULL if none */
  void (*error_release)(loci_error* error);                  /* NULL is allowed */

  /* Host memory, `alignment` a power of two; NULL when there is none left. */
  void* (*memory_alloc)(loci_host* host, uint64_t bytes, uint64_t alignment);
  void (*memory_free)(loci_host* host, void* pointer);

  /* Runs `body` over [begin, end) on the one thread team of the process, in ranges of at least
   * `grain` items; inline when one range is enough or when called within a loop. A worker may get
   * several ranges, one after the other. A helper that is awake costs under a microsecond, one that
   * sleeps 20 µs until it comes; the caller waits for none that has not come. Give a grain worth a
   * few microseconds. Kernels start no threads of their own. */
  void (*parallel_for)(loci_host* host, int64_t begin, int64_t end, int64_t grain,
                       loci_range_fn body, void* context);
  /* How many threads a loop started here could use: one within a loop. */
  uint32_t (*parallel_width)(loci_host* host);

  /* Nanoseconds of the monotonic clock. */
  uint64_t (*now_ns)(loci_host* host);

  /* The value of `key` for this plugin, or {NULL, 0}; valid until destroy returns. For org.loci.cpu
   * the key "onednn" is the environment variable LOCI_CPU_ONEDNN, and "" is LOCI_CPU.
   *
   * The name is the last part of the id alone, in upper case, with an underscore for what is no
   * letter or digit. So two plugins whose ids end alike read the same variables: end yours with a
   * word that is yours, "com.vendor.vendor_npu" rather than "com.vendor.npu", and with none that a
   * variable of the host's begins with (`loci --help` has them). An empty value is as none. */
  loci_str (*config_get)(loci_host* host, loci_str key);

  /* Interns an opaque layout of this plugin: `text` says what it is ("onednn:ABc16b"), `bytes` is
   * the size of a value in it. The same pair gives the same id; ids are never 0. */
  uint32_t (*layout_intern)(loci_host* host, loci_str text, uint64_t bytes);

  /* Further tables of the host by name, or NULL. */
  const void* (*get_interface)(loci_host* host, loci_str name, uint32_t max_minor);

  /* The file that this plugin was loaded from, absolute, for what lies beside it; valid until
   * destroy returns. */
  loci_str (*library_path)(loci_host* host);
} loci_host_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_HOST_H_ */
