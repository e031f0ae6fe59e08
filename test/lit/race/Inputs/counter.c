#include "counter.h"

int counter_value;

void CountOne(void) { counter_value = 1; }
