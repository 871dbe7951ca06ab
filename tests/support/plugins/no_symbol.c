/* A library with a manifest and without the query function. */
int loci_not_a_plugin(void);
int loci_not_a_plugin(void) { return 0; }
