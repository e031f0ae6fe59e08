/* Instrumented in nothing but its library. */
int main(void) { return 5; }
