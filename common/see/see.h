// The program 01_elu_see: a chapter's kernels with every access seen (common/cmake/see.cmake). Its benchmark
// says what its rungs are called, and on what they run.
#pragma once

//   01_elu_see check                             judges every rung and operator: its accesses, and that it refuses the
//                                                pointers that its row says, and no others
//              check yours                       the reader's rung alone, around the sizes of its packs
//   01_elu_see trace --list                      every rung: a JSON object
//              trace RUNG... [--shape=1024x1024] what these rungs ask of memory: a JSON object
//                    [--all]                     every rung that is the chapter's own
//                    [--warp=N]                  the warp that is kept in detail; default: in the middle
//                    [--gpu-sizes]               what a GPU's benchmark takes as its own shapes
//                    [--part=K]                  only the first of K parts of each launch's blocks
//
// A problem is printed as `check: FILE:LINE: sentence`, and below it the line of the source. Exit code of
// check: 0: nothing was found; 1: something was; 3: a loop was stopped. Of trace: 1 if a rung could not be
// traced, and why is one sentence on stderr. Of both: 2 for arguments or claims that mean nothing.

namespace tutorial::see {

int check(int count, char** arguments);
int trace(int count, char** arguments);

}  // namespace tutorial::see
