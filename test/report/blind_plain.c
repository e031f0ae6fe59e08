/* Not instrumented. */
int Plain(void) { return 0; }
