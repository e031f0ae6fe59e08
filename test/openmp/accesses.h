// What the generated programs of the OpenMP oracle, and the interpreter for them, have in common: a buffer for each
// program, blocks that threads allocate for themselves, and accesses to both.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <taskrace/annotate.h>

typedef uint8_t u8;
typedef uint16_t u16 __attribute__((aligned(1)));
typedef uint32_t u32 __attribute__((aligned(1)));
typedef uint64_t u64 __attribute__((aligned(1)));

#define READ(base, first, bits) ((void)*(volatile u##bits*)((base) + (first)))
#define WRITE(base, first, bits) (*(volatile u##bits*)((base) + (first)) = 1)
#define ATOMIC_READ(base, first, bits)                \
  do {                                                \
    u8 value;                                         \
    _Pragma("omp atomic read") value = (base)[first]; \
    (void)value;                                      \
  } while (0)
#define ATOMIC_WRITE(base, first, bits) _Pragma("omp atomic write")(base)[first] = 1

enum { kBufferSize = 16, kMostBlocks = 1 << 20 };

static u8* buffers;
static int program;  // that runs
static struct {
  int program;
  u8* block;
}* blocks;
static int block_count;

static void Begin(int programs) {
  buffers = calloc((size_t)programs, kBufferSize);
  blocks = calloc(kMostBlocks, sizeof *blocks);
  omp_set_max_active_levels(4);
  // Who is first to use it is no matter.
  TASKRACE_IGNORE_RANGE(blocks, kMostBlocks * sizeof *blocks);
  TASKRACE_IGNORE_RANGE(&block_count, sizeof block_count);
}

static u8* Buffer(int number) {
  program = number;
  return buffers + (size_t)number * kBufferSize;
}

static u8* OwnBlock(void) {
  u8* const block = malloc(kBufferSize);
  blocks[block_count].program = program;
  blocks[block_count++].block = block;
  return block;
}

static int End(void) {
  printf("%p %d\n", (void*)buffers, block_count);
  for (int i = 0; i < block_count; i++) {
    printf("%d %p\n", blocks[i].program, (void*)blocks[i].block);
  }
  return 0;
}
