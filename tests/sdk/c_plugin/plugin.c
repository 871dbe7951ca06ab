/* A device that works in host memory and has no kernels, in C alone. */
#include <loci/abi/device.h>
#include <loci/abi/digest.h>
#include <loci/abi/plugin.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

struct loci_plugin {
  const loci_host_api* host;
};
struct loci_device {
  loci_plugin* plugin;
};

/* Of this process there are as many as it has contexts; the test makes them one by one. */
static loci_plugin the_plugin;
static loci_device the_device;

static loci_error* refuse(const loci_plugin* plugin) {
  static const loci_str kText = TEXT("[plain_c] there is one device; use plain_c:0");
  return plugin->host->error_make(plugin->host->host, LOCI_CODE_NOT_FOUND, kText, NULL);
}

static loci_error* probe(loci_plugin* plugin, int32_t* out_score, loci_str* out_reason) {
  (void)plugin;
  (void)out_reason;
  *out_score = 1;
  return NULL;
}

static loci_error* count(loci_plugin* plugin, uint32_t* out_count) {
  (void)plugin;
  *out_count = 1;
  return NULL;
}

static loci_error* describe(loci_plugin* plugin, uint32_t index, loci_device_info* out_info) {
  static const loci_str kName = TEXT("plain C");
  if (index != 0) return refuse(plugin);
  out_info->flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY;
  out_info->name = kName;
  out_info->alignment = 64;
  out_info->min_chunk = 64;
  return NULL;
}

static loci_error* open_device(loci_plugin* plugin, uint32_t index, loci_device** out_device) {
  if (index != 0) return refuse(plugin);
  the_device.plugin = plugin;
  *out_device = &the_device;
  return NULL;
}

static void close_device(loci_device* device) { device->plugin = NULL; }

static const loci_device_api kDevice = {.struct_size = sizeof(loci_device_api),
                                        .minor = LOCI_DEVICE_MINOR,
                                        .device_type = TEXT("plain_c"),
                                        .probe = probe,
                                        .count = count,
                                        .describe = describe,
                                        .open = open_device,
                                        .close = close_device};

static loci_error* create(const loci_host_api* host, const loci_kv* options, uint64_t option_count,
                          loci_plugin** out_plugin) {
  (void)options;
  (void)option_count;
  the_plugin.host = host;
  *out_plugin = &the_plugin;
  return NULL;
}

static void destroy(loci_plugin* plugin) { plugin->host = NULL; }

static int equals(loci_str text, const char* other) {
  uint64_t i = 0;
  while (i < text.size && other[i] != '\0' && text.data[i] == other[i]) ++i;
  return i == text.size && other[i] == '\0';
}

static loci_error* get_interface(loci_plugin* plugin, loci_str name, uint32_t max_minor,
                                 const void** out_table) {
  (void)plugin;
  (void)max_minor;
  *out_table = equals(name, LOCI_DEVICE_INTERFACE) ? &kDevice : NULL;
  return NULL;
}

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  static const loci_plugin_desc kDesc = {.struct_size = sizeof(loci_plugin_desc),
                                         .abi_minor = LOCI_ABI_MINOR,
                                         .id = TEXT("org.loci.test.plain_c"),
                                         .version = TEXT("1.0.0"),
                                         .digest = TEXT(LOCI_ABI_DIGEST),
                                         .create = create,
                                         .destroy = destroy,
                                         .get_interface = get_interface};
  (void)host;
  return &kDesc;
}
