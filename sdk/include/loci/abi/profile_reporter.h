/* Interface "loci.profile.reporter": shows profiles.
 *
 * A plugin may bring several reporters. A reporter is made for one session or one saved profile,
 * writes one report, and is destroyed. One that fails is left out with a message; the run and the
 * other reports go on. It computes nothing that the profile holds already, so that all reports show
 * the same figures, and ends with the data quality unless the option "quality" is "off".
 */
#ifndef LOCI_ABI_PROFILE_REPORTER_H_
#define LOCI_ABI_PROFILE_REPORTER_H_

#include <loci/abi/base.h>
#include <loci/abi/profile.h>

#define LOCI_PROFILE_REPORTER_INTERFACE "loci.profile.reporter"
#define LOCI_PROFILE_REPORTER_MINOR 0

#ifdef __cplusplus
extern "C" {
#endif

/* An object of the plugin. */
typedef struct loci_reporter loci_reporter;

/* Where a report goes: standard output or a file, which the host opens, and leaves as it was if the
 * report fails. */
typedef struct loci_report_output {
  uint32_t struct_size;
  uint32_t is_terminal; /* 1 if a person reads along */
  void* context;
  /* Appends; an error is to be returned from report(). */
  loci_error* (*write)(void* context, const void* data, uint64_t size);
} loci_report_output;

/* What a reporter has use for, beyond its level. */
enum {
  /* The peaks of the devices: the host measures those that it does not know yet, which takes it
   * one to three seconds for each device. */
  LOCI_REPORTER_WANTS_PEAKS = 1 << 0
};

/* One reporter. Frozen members first; it grows at its end. STATIC. */
typedef struct loci_reporter_def {
  uint32_t struct_size;
  uint32_t level; /* LOCI_PROFILE_LEVEL_* that a session needs for it, at least */
  loci_str name;  /* lower case: "classic" */
  loci_str description;
  /* Where the report goes if the user does not say: a file name, or empty for standard output. */
  loci_str default_output;
  /* Forms of the report, the default first: "1.8", "2.x"; chosen with the option "form". */
  const loci_str* forms;
  uint64_t form_count;

  /* Options: "form", "quality", and what the reporter documents. Unknown ones are an error that
   * lists those there are. */
  loci_error* (*create)(loci_plugin* plugin, const loci_kv* options, uint64_t option_count,
                        loci_reporter** out_reporter);
  void (*destroy)(loci_reporter* reporter);
  loci_error* (*report)(loci_reporter* reporter, const loci_profile* profile,
                        const loci_report_output* output);

  uint32_t wants; /* LOCI_REPORTER_* */
  uint32_t reserved_zero;

  /* Live ranges, both or none: called on the thread that opens or closes a span, while it runs, so
   * they return at once. A reporter with live ranges and without `report` writes nothing. Must not
   * call back into the host. */
  void (*range_begin)(loci_reporter* reporter, const loci_profile_label* label);
  void (*range_end)(loci_reporter* reporter);
} loci_reporter_def;

typedef struct loci_profile_reporter_api {
  uint32_t struct_size;
  uint32_t minor;
  /* All of the plugin's reporters, each at least sizeof(loci_reporter_def) of its own headers. */
  const loci_reporter_def* (*defs)(loci_plugin* plugin, uint64_t* out_count);
} loci_profile_reporter_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_PROFILE_REPORTER_H_ */
