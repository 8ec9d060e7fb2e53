// Where a page's kernels access memory: the table that the build writes (common/tools/reader/live.py).
#pragma once

namespace tutorial::live {

/// One level of a place, the innermost first; `file` from the root of the repository where it lies in there.
struct PlaceFrame {
  const char* file;
  int line;
};

extern const PlaceFrame place_frames[];
/// The frames of place k are those from place_ends[k] to place_ends[k + 1].
extern const int place_ends[];

/// What a place stands for in the recorder, which takes neighbouring addresses for one call.
constexpr int kPlaceStep = 32;

}  // namespace tutorial::live
