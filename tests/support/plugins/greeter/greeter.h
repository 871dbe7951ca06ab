/* "example.greeter": an interface that Loci does not have. */
#ifndef LOCI_TESTS_SUPPORT_PLUGINS_GREETER_GREETER_H_
#define LOCI_TESTS_SUPPORT_PLUGINS_GREETER_GREETER_H_

#include <loci/abi/plugin.h>

#define EXAMPLE_GREETER_INTERFACE "example.greeter"
#define EXAMPLE_GREETER_MINOR 1

typedef struct example_greeter_api {
  uint32_t struct_size;
  uint32_t minor;
  loci_str language; /* among the manifest's "languages" */
  loci_str (*greet)(loci_plugin* plugin);
} example_greeter_api;

#endif /* LOCI_TESTS_SUPPORT_PLUGINS_GREETER_GREETER_H_ */
