#include <cstdio>

int AddOnes();

int main() { std::printf("ones: %d\n", AddOnes()); }
