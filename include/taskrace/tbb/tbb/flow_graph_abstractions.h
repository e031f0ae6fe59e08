// <oneapi/tbb/flow_graph_abstractions.h> by the name that programs of before 2021 use.
#pragma GCC system_header
#include <oneapi/tbb/flow_graph_abstractions.h>
