// A file of callgrind's, written by hand after its format's description.
#pragma once

namespace scalediag::counters {

// Its sums by function: main Ir 8, Dr 1; sweep Ir 150, Dr 40, Dw 20, I1mr 1, D1mr 10, D1mw 5, ILmr 1, DLmr 4, DLmw 2;
// sin Ir 90, Dr 9.
constexpr const char* kCallgrindExample = R"(# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 4711
cmd:  ./solver
part: 1


desc: I1 cache: 32768 B, 64 B, 8-way associative
desc: Timerange: Basic block 0 - 1000
desc: Trigger: Client Request: scalediag

positions: instr
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
summary: 248 50 20 1 10 5 1 4 2


ob=(1) /opt/app/solver
fl=(1) solver.c
fn=(1) main
0x1000 5 1
0x1004 1
cob=(2) /lib/libm.so.6
cfi=(2) sin.c
cfn=(2) sin
calls=3 0x20
0x1008 90 9
0x100c 2

fn=(3) sweep
fi=(3) inline.h
0x2000 100 40 20 1 10 5 1 4 2
fe=(1)
0x2004 50

ob=(2)
fl=(2)
fn=(2)
0x20 90 9

totals: 248 50 20 1 10 5 1 4 2
)";

}  // namespace scalediag::counters
