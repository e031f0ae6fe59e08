// interpreter FILE
//
// Runs the programs of a list, one after the other (ToList in program.cc). Each construct of the language is an OpenMP
// construct here, so that thousands of programs need no compiler. Prints the address of the buffers, and of each block
// that a thread has allocated for itself with the number of its program.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <taskrace/annotate.h>

#include "test/openmp/accesses.h"

enum {
  kAccess,
  kParallel,
  kBarrier,
  kFor,
  kSections,
  kIteration,
  kSingle,
  kMaster,
  kCritical,
  kOrdered,
  kTask,
  kTaskwait,
  kTaskgroup,
  kThreadNumber
};
enum { kStatic, kStaticChunked, kDynamic, kGuided };

typedef struct Node {
  int what, kind, is_own, first, size, schedule, chunk, nowait, is_ordered, reduction, undeferred;
  int depends, depend_kinds[2], depend_addresses[2];
  int count;  // of children
  struct Node* body;
} Node;

static char places[8];  // that tasks depend on

static void RunAll(const Node* nodes, int count, unsigned char* buffer, unsigned char* own);
static void RunBody(const Node* node, unsigned char* buffer, unsigned char* own) {
  RunAll(node->body, node->count, buffer, own);
}

#define LOOP                              \
  for (int i = 0; i < node->count; i++) { \
    RunBody(&node->body[i], buffer, own); \
  }

static void RunFor(const Node* node, unsigned char* buffer, unsigned char* own) {
  const int chunk = node->chunk;
  if (node->reduction >= 0) {
    unsigned char* reduced = buffer + node->reduction;
    if (node->nowait) {
#pragma omp for schedule(static) reduction(+ : reduced[0 : 1]) nowait
      LOOP
    } else {
#pragma omp for schedule(static) reduction(+ : reduced[0 : 1])
      LOOP
    }
    return;
  }
#define SCHEDULES(CLAUSES)                         \
  switch (node->schedule) {                        \
    case kStatic:                                  \
      _Pragma(CLAUSES(static)) LOOP break;         \
    case kStaticChunked:                           \
      _Pragma(CLAUSES(static, chunk)) LOOP break;  \
    case kDynamic:                                 \
      _Pragma(CLAUSES(dynamic, chunk)) LOOP break; \
    case kGuided:                                  \
      _Pragma(CLAUSES(guided)) LOOP break;         \
  }
#define TEXT(...) #__VA_ARGS__
#define PLAIN(...) TEXT(omp for schedule(__VA_ARGS__))
#define NOWAIT(...) TEXT(omp for schedule(__VA_ARGS__) nowait)
#define ORDERED(...) TEXT(omp for schedule(__VA_ARGS__) ordered)
#define ORDERED_NOWAIT(...) TEXT(omp for schedule(__VA_ARGS__) ordered nowait)
  if (node->is_ordered && node->nowait) {
    SCHEDULES(ORDERED_NOWAIT)
  } else if (node->is_ordered) {
    SCHEDULES(ORDERED)
  } else if (node->nowait) {
    SCHEDULES(NOWAIT)
  } else {
    SCHEDULES(PLAIN)
  }
}

// Sections of a number that is known at run time only.
static void RunSections(const Node* node, unsigned char* buffer, unsigned char* own) {
#define SECTION(k) _Pragma("omp section") if (k < node->count) RunBody(&node->body[k], buffer, own);
#define SECTIONS_2 SECTION(0) SECTION(1)
#define SECTIONS_4 SECTIONS_2 SECTION(2) SECTION(3)
#define SECTIONS_6 SECTIONS_4 SECTION(4) SECTION(5)
#define CASE(n, ...)                                 \
  case n:                                            \
    if (node->nowait) {                              \
      _Pragma("omp sections nowait") { __VA_ARGS__ } \
    } else {                                         \
      _Pragma("omp sections") { __VA_ARGS__ }        \
    }                                                \
    break;
  switch (node->count) {
    CASE(1, SECTION(0))
    CASE(2, SECTIONS_2)
    CASE(3, SECTIONS_2 SECTION(2))
    CASE(4, SECTIONS_4)
    CASE(5, SECTIONS_4 SECTION(4))
    CASE(6, SECTIONS_6)
    CASE(7, SECTIONS_6 SECTION(6))
    CASE(8, SECTIONS_6 SECTION(6) SECTION(7))
  }
}

static void RunTask(const Node* node, unsigned char* buffer, unsigned char* own) {
  int counts[4] = {0};
  int addresses[4][2];
  for (int i = 0; i < node->depends; i++) {
    const int kind = node->depend_kinds[i];
    addresses[kind][counts[kind]++] = node->depend_addresses[i];
  }
  if (node->undeferred) {
#pragma omp task if (0)
    RunBody(node, buffer, own);
  } else if (node->depends == 0) {
#pragma omp task
    RunBody(node, buffer, own);
  } else {
#pragma omp task depend(iterator(k = 0 : counts[0]), in : places[addresses[0][k]]) \
    depend(iterator(k = 0 : counts[1]), out : places[addresses[1][k]])             \
    depend(iterator(k = 0 : counts[2]), mutexinoutset : places[addresses[2][k]])   \
    depend(iterator(k = 0 : counts[3]), inoutset : places[addresses[3][k]])
    RunBody(node, buffer, own);
  }
}

static void Run(const Node* node, unsigned char* buffer, unsigned char* own) {
  switch (node->what) {
    case kAccess: {
      unsigned char* const p = (node->is_own ? own : buffer) + node->first;
      switch (node->kind * 16 + node->size) {
        case 1:
          READ(p, 0, 8);
          break;
        case 2:
          READ(p, 0, 16);
          break;
        case 4:
          READ(p, 0, 32);
          break;
        case 8:
          READ(p, 0, 64);
          break;
        case 16 + 1:
          WRITE(p, 0, 8);
          break;
        case 16 + 2:
          WRITE(p, 0, 16);
          break;
        case 16 + 4:
          WRITE(p, 0, 32);
          break;
        case 16 + 8:
          WRITE(p, 0, 64);
          break;
        case 32 + 1:
          ATOMIC_READ(p, 0, 8);
          break;
        case 48 + 1:
          ATOMIC_WRITE(p, 0, 8);
          break;
      }
      break;
    }
    case kParallel:
#pragma omp parallel num_threads(node->size)
    {
      unsigned char* mine = OwnBlock();
      RunBody(node, buffer, mine);
    } break;
    case kBarrier: {
#pragma omp barrier
      break;
    }
    case kFor:
      RunFor(node, buffer, own);
      break;
    case kSections:
      RunSections(node, buffer, own);
      break;
    case kSingle:
      if (node->nowait) {
#pragma omp single nowait
        RunBody(node, buffer, own);
      } else {
#pragma omp single
        RunBody(node, buffer, own);
      }
      break;
    case kMaster: {
#pragma omp master
      RunBody(node, buffer, own);
      break;
    }
    case kCritical:
      if (node->size == 0) {
#pragma omp critical(name0)
        RunBody(node, buffer, own);
      } else {
#pragma omp critical(name1)
        RunBody(node, buffer, own);
      }
      break;
    case kOrdered: {
#pragma omp ordered
      RunBody(node, buffer, own);
      break;
    }
    case kTask:
      RunTask(node, buffer, own);
      break;
    case kTaskwait: {
#pragma omp taskwait
      break;
    }
    case kTaskgroup: {
#pragma omp taskgroup
      RunBody(node, buffer, own);
      break;
    }
    case kThreadNumber:
      omp_get_thread_num();
      break;
  }
}

static void RunAll(const Node* nodes, int count, unsigned char* buffer, unsigned char* own) {
  for (int i = 0; i < count; i++) Run(&nodes[i], buffer, own);
}

// ---- reading

static FILE* list;

static int Number(void) {
  int n;
  if (fscanf(list, "%d", &n) != 1) {
    fprintf(stderr, "interpreter: the list ends too early\n");
    exit(2);
  }
  return n;
}

static Node* Nodes(int count) {
  Node* const nodes = calloc((size_t)count + 1, sizeof(Node));
  for (int i = 0; i < count; i++) {
    Node* const node = &nodes[i];
    node->what = Number();
    node->kind = Number();
    node->is_own = Number();
    node->first = Number();
    node->size = Number();
    node->schedule = Number();
    node->chunk = Number();
    node->nowait = Number();
    node->is_ordered = Number();
    node->reduction = Number();
    node->undeferred = Number();
    node->depends = Number();
    for (int k = 0; k < node->depends; k++) {
      node->depend_kinds[k] = Number();
      node->depend_addresses[k] = Number();
    }
    node->count = Number();
    node->body = Nodes(node->count);
  }
  return nodes;
}

int main(int argc, char** argv) {
  if (argc < 2 || (list = fopen(argv[1], "r")) == NULL) {
    fprintf(stderr, "usage: interpreter FILE\n");
    return 2;
  }
  const int programs = Number();
  Begin(programs);
  for (int i = 0; i < programs; i++) {
    const int count = Number();
    const Node* const nodes = Nodes(count);
    RunAll(nodes, count, Buffer(i), NULL);
  }
  return End();
}
