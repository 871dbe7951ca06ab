/* The entry point of a plugin, and how host and plugin agree on a version.
 *
 * A plugin is a shared library that exports exactly one symbol, loci_plugin_query_v1, and links
 * nothing of the host: whatever it needs comes through the host table. It carries a manifest that
 * is read without running it (manifest.h).
 *
 * Versions. The ABI major is in the symbol's name. Within a major each interface has a minor of its
 * own; the effective minor is min(host, plugin), and a side refuses only below a minimum that it
 * states, naming both numbers. While v1 is a draft, host and plugin must in addition agree on
 * LOCI_ABI_DIGEST, a digest of the declarations in these headers, whatever their comments say.
 *
 * Threads. The host serialises create, destroy, and the open and close of devices, per instance;
 * those of two instances may be called at the same time. All other functions may be called from any
 * thread, also two at once on one stream: either is first.
 *
 * A plugin may have threads of its own for what no caller could do, such as the queue of a device
 * in software or callbacks of a driver; not for kernels, which have the host's parallel_for. They
 * begin in create or later, block the signals of the process, and have ended when destroy or the
 * close of what they serve returns.
 *
 * Child processes. The host may fork. Only the forking thread is in the child, where the host uses
 * no device that was queued and open at the fork, and does not close it either: destroy, if it
 * comes there, waits for no thread of such a device. Destructors of statics and atexit wait for
 * none at all. Files and sockets are opened with O_CLOEXEC, so that programs which the process
 * starts do not hold them. A plugin that starts processes itself waits for them; see destroy.
 *
 * Ends. No function throws through this ABI, and none ends the process: a host that sees a plugin
 * call exit() says so and lets the process fail, whatever the status was. At the end of the process
 * nothing is closed: the host waits for work that is under way, for a limited time, and then calls
 * neither close nor destroy, so that objects of the plugin live when the destructors of its
 * library run, and threads of its own may be anywhere. Those destructors wait for nothing, and what
 * has to outlast the process (a file, a shared segment) is brought up to date before a call
 * returns.
 */
#ifndef LOCI_ABI_PLUGIN_H_
#define LOCI_ABI_PLUGIN_H_

#include <loci/abi/base.h>
#include <loci/abi/host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a host says of itself to the query function. */
typedef struct loci_host_info {
  uint32_t struct_size;
  uint32_t abi_minor;        /* the newest minor that this host speaks */
  uint32_t min_plugin_minor; /* it refuses plugins built for less */
  uint32_t reserved_zero;
  loci_str digest;  /* LOCI_ABI_DIGEST that the host was built with */
  loci_str version; /* of the host, for messages */
} loci_host_info;

/* What a plugin says of itself. STATIC; the same for every call. */
typedef struct loci_plugin_desc {
  uint32_t struct_size;
  uint32_t abi_minor;      /* the minor that the plugin was built for */
  uint32_t min_host_minor; /* it refuses hosts below this one */
  uint32_t reserved_zero;
  loci_str id;      /* reverse-DNS, equal to the manifest's: "org.loci.cpu" */
  loci_str version; /* of the plugin, "major.minor.patch" */
  loci_str digest;  /* LOCI_ABI_DIGEST that it was built with */

  /* Makes an instance: a host has at most one of a plugin in each context, and a process may have
   * several contexts, one after the other or at the same time. The library is mapped once, so that
   * its statics are shared by all instances: state of an instance belongs into the loci_plugin.
   * `host` stays valid until destroy returns. `options` are the configuration entries that the user
   * gave for this plugin, keys in lower case; config_get reads the same and later ones. May not
   * touch a device. */
  loci_error* (*create)(const loci_host_api* host, const loci_kv* options, uint64_t option_count,
                        loci_plugin** out_plugin);
  /* Called once for an instance, when no object of it is alive any more. Child processes that the
   * plugin has started have ended, and were waited for, when it returns. */
  void (*destroy)(loci_plugin* plugin);
  /* Gives the table of an interface ("loci.device", "loci.kernels"), in the newest minor that is
   * at most max_minor, or NULL in *out_table when the plugin has none of that name. STATIC. The
   * first member of every table is its uint32_t struct_size, the second its uint32_t minor. */
  loci_error* (*get_interface)(loci_plugin* plugin, loci_str name, uint32_t max_minor,
                               const void** out_table);
} loci_plugin_desc;

/* The one exported symbol. Pure: starts no thread, touches no device, may be called many times and
 * from any thread. Returns NULL if the plugin cannot work with that host at all. */
typedef const loci_plugin_desc* (*loci_plugin_query_fn)(const loci_host_info* host);
#define LOCI_PLUGIN_QUERY_SYMBOL "loci_plugin_query_v1"

#if defined(__GNUC__)
#define LOCI_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define LOCI_PLUGIN_EXPORT
#endif

/* Defined by the plugin. */
LOCI_PLUGIN_EXPORT const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_PLUGIN_H_ */
