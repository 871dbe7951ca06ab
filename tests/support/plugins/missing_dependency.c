/* Makes the plugin depend on a library that is not there at run time. */
int loci_absent_answer(void);
int loci_use_absent(void);
int loci_use_absent(void) { return loci_absent_answer(); }
