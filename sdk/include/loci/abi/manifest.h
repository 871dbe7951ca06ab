/* The manifest: a JSON text in an ELF note, which the host reads without mapping the library.
 *
 * loci_add_plugin() in CMake writes it from a manifest.json; this macro is for other builds. The
 * argument is a string literal put between the quotes of an assembler .ascii directive, so each
 * quote of the JSON is written \\\" and each backslash \\\\\\\\ there.
 *
 * Inline assembly, because a const object in a note section takes an alignment of its own, which
 * readers of notes reject. The section is allocated, so it survives strip, and nothing refers to
 * it, yet linkers keep notes under --gc-sections and link-time optimisation.
 *
 * Members of the JSON object (see README "Writing a plugin"):
 *   id, version          as in loci_plugin_desc
 *   kinds                array of "backend", "capture", "profile_source", "reporter", "importer",
 *                        "ops", "collective"
 *   abi                  {"major", "minor", "min_host_minor", "digest"}
 *   device_types         array, for a backend: the device types that it brings, e.g. ["cpu"]; for
 *                        a capturer: that whose streams it captures
 *   reporters            array, for a reporter: the names of all that it brings, e.g. ["html"]
 *   settings             array of the keys that config_get is asked for, e.g. ["threads"], and ""
 *                        for the plugin's own variable: the host warns of a variable that is none
 *                        of them; without it of none
 *   isa                  array of CPU features that the whole library needs, e.g. ["avx2"]
 *   needs                array of {"soname", "hint", "symbols"}: what it opens or links beyond the
 *                        C++ runtime, in which package that is, and functions of it by which
 *                        another library of its kind is known: where the program is linked with
 *                        one, the plugin is mapped so that it takes its own (RTLD_DEEPBIND)
 *   description, license, compiler, sanitizer
 */
#ifndef LOCI_ABI_MANIFEST_H_
#define LOCI_ABI_MANIFEST_H_

#define LOCI_MANIFEST_NOTE_NAME "LOCI"
#define LOCI_MANIFEST_NOTE_TYPE 1

#define LOCI_MANIFEST_NOTE(escaped_json)      \
  __asm__(                                    \
      ".pushsection .note.loci,\"a\",@note\n" \
      ".balign 4\n"                           \
      ".long 2f-1f\n"                         \
      ".long 4f-3f\n"                         \
      ".long 1\n"                             \
      "1: .asciz \"LOCI\"\n"                  \
      "2: .balign 4\n"                        \
      "3: .ascii \"" escaped_json             \
      "\"\n"                                  \
      "4: .balign 4\n"                        \
      ".popsection\n")

#endif /* LOCI_ABI_MANIFEST_H_ */
