// Coverage of ufbx's C code for libFuzzer.
//
// Rust code counts its own edges (`inline-8bit-counters`), which GCC cannot. What GCC and Clang both can is call a function on every
// edge (`-fsanitize-coverage=trace-pc`). libFuzzer's own refuses to work, so `build.rs` has the linker put this one in its place, which counts
// in libFuzzer's extra counters.
#include <cstddef>
#include <cstdint>

namespace {
constexpr size_t COUNTERS = 1 << 16;
__attribute__((section("__libfuzzer_extra_counters"), used)) uint8_t counters[COUNTERS];
}

extern "C" {
extern const char __executable_start;

void __wrap___sanitizer_cov_trace_pc() {
    auto place = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    // Relative to the program, so that an edge has the same number in every run.
    uint64_t edge = place - reinterpret_cast<uintptr_t>(&__executable_start);
    counters[(edge * 0x9E3779B97F4A7C15u) >> 48]++;
}

// GCC reports comparisons of floating-point numbers too; libFuzzer has no use for them.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}
}
