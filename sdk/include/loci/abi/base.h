/* Basic types of the Loci C ABI: strings, errors, dtypes, sizes.
 *
 * Rules that hold for every header in this folder (see also plugin.h):
 *  - C11 and C++17; only <stdint.h> and <stddef.h> are included.
 *  - Fixed-width fields, explicit padding; no bool, long, bit-field or enum in a layout.
 *  - A table or argument struct begins with `uint32_t struct_size`, which its maker sets to its own
 *    sizeof. The receiver copies min(struct_size, its own sizeof) bytes into a zeroed struct of its
 *    own, and afterwards only tests members for NULL. Such structs grow at their end only.
 *  - Pointers handed to a function are borrowed for the call, unless its comment says STATIC
 *    (valid until the library is destroyed) or says who owns them.
 *  - Who creates an object destroys it, through the same table.
 */
#ifndef LOCI_ABI_BASE_H_
#define LOCI_ABI_BASE_H_

#include <stddef.h>
#include <stdint.h>

#define LOCI_ABI_MAJOR 1
#define LOCI_ABI_MINOR 0

/* The largest rank of a tensor. */
#define LOCI_MAX_RANK 8

/* The longest text, in bytes, that the host takes from a plugin's tables and answers: ids, names,
 * descriptions, reasons. It refuses a longer one unread; messages of errors and logs may have 16
 * times as much. */
#define LOCI_MAX_TEXT 65536

#ifdef __cplusplus
extern "C" {
#endif

/* A byte range, UTF-8 where it is text; not NUL-terminated. {NULL, 0} is the empty string. */
typedef struct loci_str {
  const char* data;
  uint64_t size;
} loci_str;

/* One configuration entry. */
typedef struct loci_kv {
  loci_str key;
  loci_str value;
} loci_kv;

/* An error made and freed by the host (see host.h). Functions that can fail return one; NULL is
 * success. The receiver owns what is returned to it. */
typedef struct loci_error loci_error;

/* Error codes. */
typedef int32_t loci_code;
enum {
  LOCI_CODE_INVALID_ARGUMENT = 1, /* the caller broke a documented rule */
  LOCI_CODE_NOT_FOUND = 2,        /* a name, file or device index that is not there */
  LOCI_CODE_UNAVAILABLE = 3,      /* not on this machine, or not now; another backend may do */
  LOCI_CODE_UNSUPPORTED = 4,      /* a legal request that this implementation does not cover */
  LOCI_CODE_OUT_OF_MEMORY = 5,
  LOCI_CODE_DATA_LOSS = 6,    /* malformed or damaged data */
  LOCI_CODE_FAILED = 7,       /* the work itself failed while running */
  LOCI_CODE_INCOMPATIBLE = 8, /* versions or builds that do not fit each other */
  LOCI_CODE_PERMISSION_DENIED = 9,
  LOCI_CODE_POLICY = 10,     /* a policy set by the user forbids it */
  LOCI_CODE_INTERNAL = 11,   /* a defect of the implementation */
  LOCI_CODE_DEVICE_LOST = 12 /* the device does no work until it is opened again; see device.h */
};

/* Element types. Codes are frozen for the major; the ones marked reserved have no kernels yet. */
typedef int32_t loci_dtype;
enum {
  LOCI_DTYPE_NONE = 0, /* an absent optional argument */
  LOCI_DTYPE_BOOL = 1, /* one byte, 0 or 1 */
  LOCI_DTYPE_I8 = 2,
  LOCI_DTYPE_I16 = 3,
  LOCI_DTYPE_I32 = 4,
  LOCI_DTYPE_I64 = 5,
  LOCI_DTYPE_U8 = 6,
  LOCI_DTYPE_U16 = 7,
  LOCI_DTYPE_U32 = 8,
  LOCI_DTYPE_U64 = 9,
  LOCI_DTYPE_F16 = 10,
  LOCI_DTYPE_BF16 = 11,
  LOCI_DTYPE_F32 = 12,
  LOCI_DTYPE_F64 = 13,
  LOCI_DTYPE_F8_E4M3 = 14, /* reserved */
  LOCI_DTYPE_F8_E5M2 = 15, /* reserved */
  LOCI_DTYPE_I4 = 16,      /* reserved */
  LOCI_DTYPE_U4 = 17,      /* reserved */
  LOCI_DTYPE_C64 = 18,     /* reserved: two f32 */
  LOCI_DTYPE_C128 = 19,    /* reserved: two f64 */
  LOCI_DTYPE_COUNT = 20
};

/* Bit of a dtype in a dtype mask (uint64_t). */
#define LOCI_DTYPE_BIT(dtype) (UINT64_C(1) << (dtype))

/* Opaque objects. A plugin defines loci_plugin, loci_device, loci_stream, loci_event, loci_kernel
 * and loci_prepared as it likes; the host defines loci_host and loci_error. */
typedef struct loci_host loci_host;
typedef struct loci_plugin loci_plugin;
typedef struct loci_device loci_device;
typedef struct loci_stream loci_stream;
typedef struct loci_event loci_event;
typedef struct loci_kernel loci_kernel;
typedef struct loci_prepared loci_prepared;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_BASE_H_ */
