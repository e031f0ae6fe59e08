/* Carries a marker, as the pass would leave one. Linked with blind_plain.c, which has none. */
#include <taskrace/hooks.h>

__attribute__((section("taskrace_objects"), used)) static const struct __taskrace_object marker = {
    TASKRACE_ABI_VERSION, TASKRACE_UNKNOWN_ACCESSES, "some/folder/blind_marked.c"};

int Plain(void);

int main(void) { return Plain(); }
