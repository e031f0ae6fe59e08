// Writes a log about itself, as the runtime would: real addresses of real lines, so that the tests
// symbolise what a user's program has. Usage: sample_program LOG [name=value:...] [deadlock]

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

// The start of the loaded file: offsets in it are addresses minus this.
extern "C" const Elf64_Ehdr __ehdr_start;

namespace sample {

long total = 0;
int numbers[10];

std::vector<uint64_t> stack;

uint64_t Offset(const void* address) {
  return reinterpret_cast<uint64_t>(address) - reinterpret_cast<uint64_t>(&__ehdr_start);
}

// Notes that the line that calls it is a frame of the stack.
__attribute__((noinline)) void Here() { stack.push_back(Offset(__builtin_return_address(0))); }

std::string TakeStack() {
  std::string text = "[";
  for (uint64_t offset : stack) {
    text += (text.size() > 1 ? ",[0," : "[0,") + std::to_string(offset) + "]";
  }
  stack.clear();
  return text + "]";
}

}  // namespace sample

namespace taskrace::detail {
__attribute__((noinline)) void RunBody() { sample::Here(); }
}  // namespace taskrace::detail

namespace sample {

template <class T>
__attribute__((noinline)) void AddTo(std::vector<T>& values, T value) {
  total += value, Here();  // the write
  values.clear();
}

__attribute__((always_inline)) inline void ReadTotal() {
  numbers[3] = static_cast<int>(total), Here();  // the read
}

__attribute__((noinline)) void Writer() {
  std::vector<long> values;
  AddTo(values, 1L);
  Here();  // the writer's call
  taskrace::detail::RunBody();
}

__attribute__((noinline)) void Reader() {
  ReadTotal();  // the reader's call
}

__attribute__((noinline)) void CreateWriter() { Here(); }  // creates the writer
__attribute__((noinline)) void CreateReader() { Here(); }  // creates the reader
__attribute__((noinline)) void Allocate() { Here(); }      // allocates

__attribute__((noinline)) void MakePromise() { Here(); }  // makes the promise
__attribute__((noinline)) void WaitForIt() { Here(); }    // waits

std::string Access(const char* op, int size, int task, int strand, const std::string& stack_text,
                   const std::string& created) {
  return std::string("{\"op\":\"") + op + "\",\"size\":" + std::to_string(size) +
         ",\"task\":" + std::to_string(task) + ",\"strand\":" + std::to_string(strand) +
         ",\"locks\":[],\"stack\":" + stack_text + ",\"created\":[" + created + "]}";
}

int race_number = 0;

void Race(FILE* log, const void* address, int size, const std::string& first,
          const std::string& second, const std::string& location) {
  std::fprintf(log,
               "{\"t\":\"race\",\"id\":%d,\"class\":\"race\",\"address\":%zu,\"size\":%d,"
               "\"accesses\":[%s,%s],\"location\":%s}\n",
               ++race_number, reinterpret_cast<size_t>(address), size, first.c_str(),
               second.c_str(), location.c_str());
}

// The options as the runtime writes them; `text` is "name=value:name=value", values without quotes.
std::string OptionsJson(std::string text) {
  std::string json = "{";
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(':', at), text.size());
    const size_t equals = text.find('=', at);
    const std::string value = text.substr(equals + 1, end - equals - 1);
    const bool number = value.find_first_not_of("0123456789") == std::string::npos;
    json += (json.size() > 1 ? ",\"" : "\"") + text.substr(at, equals - at) +
            "\":" + (number ? value : "\"" + value + "\"");
    at = end + 1;
  }
  return json + "}";
}

void WriteLog(FILE* log, const char* options, bool deadlock) {
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return;
  std::fprintf(log,
               "{\"t\":\"start\",\"version\":\"0.1\",\"pid\":%d,\"program\":\"./sample\","
               "\"engine\":\"spbags\",\"history\":\"shadow\",\"options\":%s,\"forked\":false}\n",
               getpid(), OptionsJson(options).c_str());
  std::fprintf(log, "{\"t\":\"module\",\"id\":0,\"path\":\"%s\",\"instrumented\":true}\n", self);
  Writer();
  const std::string writer = TakeStack();
  Reader();
  const std::string reader = TakeStack();
  CreateWriter();
  const std::string writer_created = TakeStack();
  CreateReader();
  const std::string reader_created = TakeStack();
  Allocate();
  const std::string allocated = TakeStack();
  const std::string write = Access("write", 8, 3, 7, writer, writer_created + "," + reader_created);
  const std::string read = Access("read", 8, 4, 9, reader, reader_created);
  const auto global = [](const void* address) {
    return "{\"what\":\"global\",\"module\":0,\"offset\":" + std::to_string(Offset(address)) + "}";
  };
  Race(log, &total, 8, write, read, global(&total));
  std::fprintf(log, "{\"t\":\"count\",\"id\":1,\"n\":3}\n{\"t\":\"count\",\"id\":1,\"n\":12}\n");
  // The same two lines the other way round, on another variable: the same site.
  Race(log, &numbers[3], 4, read, write, global(&numbers[3]));
  Race(log, reinterpret_cast<void*>(0x7010), 1, write,
       Access("free", 400, 0, 11, writer_created, ""),
       "{\"what\":\"heap\",\"start\":28672,\"size\":400,\"stack\":" + allocated + "}");
  Race(log, reinterpret_cast<void*>(0x9000), 4, read,
       Access("scope-end", 4, 0, 12, reader_created, ""),
       "{\"what\":\"stack\",\"start\":36864,\"size\":4,\"name\":\"counter\",\"function\":\"f\","
       "\"file\":\"f.cc\",\"line\":3}");
  if (deadlock) {
    MakePromise();
    const std::string made = TakeStack();
    WaitForIt();
    const std::string waits = TakeStack();
    std::fprintf(log,
                 "{\"t\":\"deadlock\",\"waiting\":["
                 "{\"task\":3,\"for\":\"a promise\",\"stack\":%s,\"made\":%s,"
                 "\"created\":[%s,%s],\"ancestors\":[2,0]},"
                 "{\"task\":0,\"for\":\"the end of all tasks\",\"stack\":[],"
                 "\"created\":[],\"ancestors\":[]}]}\n",
                 waits.c_str(), made.c_str(), writer_created.c_str(), reader_created.c_str());
  }
  std::fprintf(log, "{\"t\":\"stats\",\"tasks\":8,\"strands\":25,\"queries\":99}\n");
  std::fprintf(log, "{\"t\":\"end\",\"how\":\"%s\",\"code\":%d}\n", deadlock ? "stop" : "exit",
               deadlock ? 67 : 0);
}

}  // namespace sample

int main(int argc, char** argv) {
  FILE* log = argc > 1 ? std::fopen(argv[1], "w") : nullptr;
  if (log == nullptr) return 1;
  sample::WriteLog(log, argc > 2 ? argv[2] : "", argc > 3);
  return std::fclose(log);
}

namespace sample {

// For members_test.cc: 48 bytes each.
struct Row {
  int id;
  struct {
    double x, y;
  } point[2];
  char name[8];
};
Row sample_rows[3][4];

}  // namespace sample
