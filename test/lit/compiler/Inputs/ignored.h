int elsewhere;
__attribute__((noinline)) void there() { elsewhere = 1; }
