/* A library that is there when the plugin is linked and not when it is loaded. */
int loci_absent_answer(void);
int loci_absent_answer(void) { return 42; }
