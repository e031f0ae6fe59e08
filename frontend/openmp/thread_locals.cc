#include "frontend/openmp/thread_locals.h"

#include <link.h>
#include <string.h>

#include "detect/ds/mapped_array.h"

namespace taskrace::openmp {
namespace {

struct Segment {
  char* bytes;        // of the thread that runs
  const char* image;  // what a new thread begins with, then zeros
  size_t image_size;
  size_t size;
};

int FindSegment(dl_phdr_info* info, size_t, void* argument) {
  Segment& segment = *static_cast<Segment*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS || info->dlpi_tls_data == nullptr) continue;
    segment = {static_cast<char*>(info->dlpi_tls_data),
               reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr), header.p_filesz,
               header.p_memsz};
  }
  return 1;  // the first one is the executable
}

const Segment& TheSegment() {
  static Segment segment;
  static bool is_found = false;
  if (!is_found) dl_iterate_phdr(FindSegment, &segment);
  is_found = true;
  return segment;
}

}  // namespace

void SwitchThreadLocals(int32_t from, int32_t to) {
  const Segment& segment = TheSegment();
  if (segment.size == 0 || from == to) return;
  // The images of the threads that do not run, by identity; the ones that have not run yet are new.
  static constinit MappedArray<char> images{"thread-local variables"};
  static constinit MappedArray<bool> known{"thread-local variables"};
  const size_t needed = static_cast<size_t>(from > to ? from : to) + 1;
  if (known.Size() < needed) {
    known.Resize(needed);
    images.Resize(needed * segment.size);
  }
  const auto image_of = [&](int32_t identity) {
    return images.Data() + static_cast<size_t>(identity) * segment.size;
  };
  known[static_cast<size_t>(from)] = true;
  memcpy(image_of(from), segment.bytes, segment.size);
  if (known[static_cast<size_t>(to)]) {
    memcpy(segment.bytes, image_of(to), segment.size);
  } else {
    memcpy(segment.bytes, segment.image, segment.image_size);
    memset(segment.bytes + segment.image_size, 0, segment.size - segment.image_size);
  }
}

}  // namespace taskrace::openmp
