/* The smallest backend, in C: a device in host memory and one kernel, "assign". The configuration
 * key "score" is what its probe answers, 1 without it. As many compute units as instances have been
 * made of the library, which a static counts. */
#include <loci/abi/device.h>
#include <loci/abi/digest.h>
#include <loci/abi/kernels.h>
#include <loci/abi/plugin.h>
#include <string.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static uint32_t made;

struct loci_plugin {
  const loci_host_api* host;
  uint32_t number;
  uint64_t option_count;
};

struct loci_device {
  loci_plugin* plugin;
};

struct loci_kernel {
  loci_plugin* plugin;
};

static int equals(loci_str text, const char* other) {
  return text.size == strlen(other) && memcmp(text.data, other, text.size) == 0;
}

static loci_error* fail(loci_plugin* plugin, loci_code code, const char* message) {
  const loci_str text = {message, strlen(message)};
  return plugin->host->error_make(plugin->host->host, code, text, NULL);
}

static void* allocate(loci_plugin* plugin, uint64_t bytes) {
  return plugin->host->memory_alloc(plugin->host->host, bytes, 16);
}

static loci_error* probe(loci_plugin* plugin, int32_t* out_score, loci_str* out_reason) {
  static const loci_str kKey = TEXT("score");
  static const loci_str kReason = TEXT("the configured score is 0");
  const loci_str score = plugin->host->config_get(plugin->host->host, kKey);
  *out_score = score.size == 1 ? score.data[0] - '0' : 1;
  *out_reason = kReason;
  return NULL;
}

static loci_error* count(loci_plugin* plugin, uint32_t* out_count) {
  (void)plugin;
  *out_count = 1;
  return NULL;
}

static loci_error* describe(loci_plugin* plugin, uint32_t index, loci_device_info* out_info) {
  static const loci_str kName = TEXT(LOCI_TEST_NAME);
  if (index != 0) return fail(plugin, LOCI_CODE_NOT_FOUND, "there is one device");
  out_info->flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY;
  out_info->name = kName;
  out_info->alignment = 64;
  out_info->min_chunk = 1;
  out_info->compute_units = plugin->number;
  return NULL;
}

static loci_error* open_device(loci_plugin* plugin, uint32_t index, loci_device** out_device) {
  if (index != 0) return fail(plugin, LOCI_CODE_NOT_FOUND, "there is one device");
  *out_device = allocate(plugin, sizeof **out_device);
  if (*out_device == NULL) return fail(plugin, LOCI_CODE_OUT_OF_MEMORY, "no memory for a device");
  (*out_device)->plugin = plugin;
  return NULL;
}

static void close_device(loci_device* device) {
  const loci_host_api* host = device->plugin->host;
  host->memory_free(host->host, device);
}

static const loci_device_api kDeviceApi = {
    .struct_size = sizeof(loci_device_api),
    .minor = LOCI_DEVICE_MINOR,
    .device_type = TEXT(LOCI_TEST_DEVICE_TYPE),
    .probe = probe,
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
};

static const loci_kernel_def kDefs[] = {{
    .struct_size = sizeof(loci_kernel_def),
    .flags = LOCI_KERNEL_SHAPE_AGNOSTIC,
    .op = TEXT("assign"),
    .name = TEXT("minimal"),
    .dtype_mask = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
    .op_version = 1,
}};

static const loci_kernel_def* defs(loci_plugin* plugin, uint64_t* out_count) {
  (void)plugin;
  *out_count = sizeof kDefs / sizeof kDefs[0];
  return kDefs;
}

static int32_t supports(loci_plugin* plugin, const loci_kernel_def* def, const loci_op_desc* op,
                        loci_reason* out_reason) {
  static const loci_str kReason = TEXT("f32 alone is covered");
  (void)plugin;
  (void)def;
  out_reason->text = kReason;
  return op->inputs[0].dtype == LOCI_DTYPE_F32;
}

static loci_error* create_kernel(loci_plugin* plugin, const loci_kernel_def* def,
                                 loci_device* device, const loci_op_desc* op,
                                 loci_kernel** out_kernel) {
  (void)def;
  (void)device;
  (void)op;
  *out_kernel = allocate(plugin, sizeof **out_kernel);
  if (*out_kernel == NULL) return fail(plugin, LOCI_CODE_OUT_OF_MEMORY, "no memory for a kernel");
  (*out_kernel)->plugin = plugin;
  return NULL;
}

static void destroy_kernel(loci_kernel* kernel) {
  const loci_host_api* host = kernel->plugin->host;
  host->memory_free(host->host, kernel);
}

static loci_error* launch(const loci_prepared* prepared, const loci_launch* launched) {
  const loci_view* source = launched->inputs[0];
  (void)prepared;
  if (source->bytes > 0) memcpy(launched->outputs[0]->data, source->data, source->bytes);
  return NULL;
}

static loci_error* prepare(loci_kernel* kernel, const loci_op_desc* op,
                           loci_prepared_info* out_info) {
  (void)kernel;
  (void)op;
  out_info->launch = launch;
  return NULL;
}

static void destroy_prepared(loci_prepared* prepared) { (void)prepared; }

static const loci_kernels_api kKernelsApi = {
    .struct_size = sizeof(loci_kernels_api),
    .minor = LOCI_KERNELS_MINOR,
    .device_type = TEXT(LOCI_TEST_DEVICE_TYPE),
    .defs = defs,
    .supports = supports,
    .create = create_kernel,
    .destroy = destroy_kernel,
    .prepare = prepare,
    .destroy_prepared = destroy_prepared,
};

static loci_error* create(const loci_host_api* host, const loci_kv* options, uint64_t option_count,
                          loci_plugin** out_plugin) {
  (void)options;
  *out_plugin = host->memory_alloc(host->host, sizeof **out_plugin, 16);
  if (*out_plugin == NULL) {
    const loci_str message = TEXT("no memory for the plugin");
    return host->error_make(host->host, LOCI_CODE_OUT_OF_MEMORY, message, NULL);
  }
  (*out_plugin)->host = host;
  (*out_plugin)->number = ++made;
  (*out_plugin)->option_count = option_count;
  return NULL;
}

static void destroy(loci_plugin* plugin) {
  const loci_host_api* host = plugin->host;
  host->memory_free(host->host, plugin);
}

static loci_error* get_interface(loci_plugin* plugin, loci_str name, uint32_t max_minor,
                                 const void** out_table) {
  (void)plugin;
  (void)max_minor;
  *out_table = NULL;
  if (equals(name, LOCI_DEVICE_INTERFACE)) *out_table = &kDeviceApi;
  if (equals(name, LOCI_KERNELS_INTERFACE)) *out_table = &kKernelsApi;
  return NULL;
}

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  static const loci_plugin_desc kDesc = {
      .struct_size = sizeof(loci_plugin_desc),
      .abi_minor = LOCI_ABI_MINOR,
      .id = TEXT("org.loci.test." LOCI_TEST_NAME),
      .version = TEXT("1.2.3"),
      .digest = TEXT(LOCI_ABI_DIGEST),
      .create = create,
      .destroy = destroy,
      .get_interface = get_interface,
  };
  (void)host;
  return &kDesc;
}
