long counter;
void Count(int by) { counter += by; }
