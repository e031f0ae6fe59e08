// Owner of the precompiled test_headers.h: other tests reuse it, so it is compiled as they are.
#include "test/test_headers.h"
