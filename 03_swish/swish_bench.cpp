#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

#include "common/bench/binary.h"
#include "common/bench/host_loop.h"
#include "common/bench/ladder.h"
#include "common/bench/measure.h"
#include "common/bench/mixed.h"
#include "common/bench/shapes.h"

#include "03_swish/backward/swish_backward.h"
#include "03_swish/proof/peers/swish_peers.h"
#include "03_swish/proof/swish_reference.h"
#include "03_swish/quantize/swish_quantize.h"
#include "03_swish/swish.h"

namespace tutorial::bench {
namespace {

constexpr Reference kReference = swish_reference;

/// The operator at beta = 1, and what one would use instead of the ladder.
template <class T>
void add_operator_and_peers() {
  const std::string dtype = dtype_name<T>();
  add_unary<T>("swish", "operator_" + dtype, Kind::rung, swish_operator_rung<T>().launch,
               kReference, kSwishUlp<T>);
  add_unary<T>("swish", "cub_" + dtype, Kind::peer, swish_cub<T>, kReference, kSwishUlp<T>);
}

/// The largest error of SwiGLU in two kernels on the benchmark's inputs, whose |b| stays below 6.
/// swish(a) is rounded in between, by up to kSwishUlp steps of T; where it is subnormal the steps
/// do not shrink with it, and y = swish(a) b is off by |b| times as many of its own, and a half
/// more from the second rounding. (The rung's own bound holds for normal swish(a) and |b| <= 1.)
template <class T>
constexpr double kSeparateUlp = 6.0 * kSwishUlp<T> + 0.51;

/// SwiGLU in two kernels and in one, and a kernel that moves as many bytes and computes nothing.
template <class T>
void add_swiglu() {
  const auto separate = swiglu_separate_rung<T>(), fused = swiglu_rung<T>();
  add_binary<T>("swiglu", separate.name, Kind::rung, separate.launch, swiglu_reference,
                kSeparateUlp<T>, separate.width);
  add_rung("swiglu", Kind::rung, fused, swiglu_reference);
  add_binary<T>("swiglu", std::string("swiglu_cub_") + dtype_name<T>(), Kind::peer, swiglu_cub<T>,
                swiglu_reference, kSwiGluUlp<T>);
  add_two_in_one_out_peer<T>("swiglu");
}

/// SwiGLU backward: three arrays in, and both gradients in one output, db behind da.
template <class T>
void add_swiglu_backward(const TwoGradientsRung<T>& rung) {
  Case operation{"swiglu_backward", rung.name, dtype_name<T>(), Kind::rung};
  operation.per_thread = rung.width;
  operation.alignment = operation.out_alignment = rung.alignment;
  operation.may_refuse = true;
  for (const auto& tile : {tile_of_input<T, 0>(), tile_of_input<T, 1>(), tile_of_input<T, 2>()}) {
    operation.inputs.push_back({tile, bytes_of<T>(every_element)});
  }
  operation.output_bytes = bytes_of<T>([](const Shape& shape) { return 2 * shape.elements(); });
  operation.launch = [launch = rung.launch](const Buffers& set, const Shape& shape,
                                            cudaStream_t stream) {
    return launch(set.in<T>(0), set.in<T>(1), set.in<T>(2), set.out<T>(),
                  set.out<T>() + shape.elements(), shape.elements(), stream);
  };
  operation.verify = [max_ulp = rung.max_ulp](const Shape& shape, const void* bytes,
                                              std::size_t begin, std::size_t count) {
    using Tiled = test::TiledReference<T>;
    static std::mutex mutex;
    static std::map<double, std::array<Tiled, 2>> known;
    std::unique_lock<std::mutex> lock(mutex);
    if (known.count(max_ulp) == 0) {
      const auto tiles = test::tiles<T>(3, Tiled::default_period);
      const auto da = [](const double* in) {
        return swiglu_backward_a_reference(in[0], in[1], in[2]);
      };
      const auto db = [](const double* in) { return swiglu_backward_b_reference(in[0], in[2]); };
      known.emplace(max_ulp,
                    std::array<Tiled, 2>{Tiled(da, tiles, max_ulp), Tiled(db, tiles, max_ulp)});
    }
    const std::array<Tiled, 2>& tiled = known.at(max_ulp);
    lock.unlock();
    const auto* y = static_cast<const T*>(bytes);
    const auto first = static_cast<std::int64_t>(begin / sizeof(T)), n = shape.elements();
    const auto last = first + static_cast<std::int64_t>(count / sizeof(T));
    const std::int64_t end_of_a = std::clamp(n, first, last);  // of those that are judged here
    const std::string wrong = tiled[0].complaint(y, first, end_of_a - first);
    return wrong.empty() ? tiled[1].complaint(y + (end_of_a - first), end_of_a - n, last - end_of_a)
                         : wrong;
  };
  add(operation);
}

/// The same with a and b, and their gradients, side by side in rows: at the size of a model's layer.
template <class T>
void add_swiglu_backward_halves() {
  const auto twice = [](const Shape& shape) { return 2 * shape.elements(); };
  Case operation{"swiglu_backward", std::string("halves_") + dtype_name<T>(), dtype_name<T>(),
                 Kind::rung};
  const Shape layer{on_gpu ? 8192 : 64, 7168};
  operation.own_shapes = {{name_of(layer), layer}};
  operation.inputs = {{tile_of_input<T, 0>(), bytes_of<T>(twice)},
                      {tile_of_input<T, 1>(), bytes_of<T>(every_element)}};
  operation.output_bytes = bytes_of<T>(twice);
  operation.launch = [](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return swiglu_backward_halves(set.in<T>(0), set.in<T>(1), set.out<T>(), shape.rows,
                                  shape.columns, stream);
  };
  operation.verify = [](const Shape& shape, const void* bytes, std::size_t begin,
                        std::size_t count) -> std::string {
    static const auto tiles = test::tiles<T>(2, test::TiledReference<T>::default_period);
    const auto at = [](std::size_t input, std::int64_t i) {
      return test::to_double(tiles[input][static_cast<std::size_t>(i) % tiles[input].size()]);
    };
    const std::int64_t d = shape.columns, first = static_cast<std::int64_t>(begin / sizeof(T));
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(count / sizeof(T)); ++i) {
      const std::int64_t row = (first + i) / (2 * d), column = (first + i) % d;
      const bool is_a = (first + i) / d % 2 == 0;
      const double a = at(0, row * 2 * d + column), b = at(0, row * 2 * d + d + column),
                   dy = at(1, row * d + column);
      const double expected =
          is_a ? swiglu_backward_a_reference(a, b, dy) : swiglu_backward_b_reference(a, dy);
      if (!(test::ulp_error(static_cast<const T*>(bytes)[i], expected) <= kSwishBackwardUlp<T>)) {
        return wrong(first + i);
      }
    }
    return "";
  };
  add(operation);
}

/// What a row of q and its scale must be, for inputs that repeat two tiles.
template <class T>
class QuantizeReference {
 public:
  QuantizeReference() {
    const auto tiles = test::tiles<T>(2, test::TiledReference<T>::default_period);
    for (std::size_t i = 0; i < tiles[0].size(); ++i) {
      y_.push_back(swiglu_reference(test::to_double(tiles[0][i]), test::to_double(tiles[1][i])));
    }
  }
  double at(std::int64_t i) const { return y_[static_cast<std::size_t>(i) % y_.size()]; }
  double size_of_row(std::int64_t row, std::int64_t columns) const {
    double most = 0.0;
    for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) {
      most = std::fmax(most, std::fabs(at(i)));
    }
    return most;
  }

 private:
  std::vector<double> y_;
};

/// SwiGLU to E4m3 with a scale for each row: the scales lie behind the rows. At the shapes of the grid, or at `own`.
template <class T>
void add_swiglu_quantize(const std::string& name, RowPasses passes,
                         const std::vector<Shape>& own = {}) {
  Case operation{"swiglu_quantize", name + "_" + dtype_name<T>(), dtype_name<T>(), Kind::rung};
  operation.may_refuse = true;
  for (const Shape& shape : own) operation.own_shapes.push_back({name_of(shape), shape});
  operation.inputs = {{tile_of_input<T, 0>(), bytes_of<T>(every_element)},
                      {tile_of_input<T, 1>(), bytes_of<T>(every_element)}};
  operation.output_bytes = [](const Shape& shape) {
    return static_cast<std::size_t>(shape.elements() + 4 * shape.rows);
  };
  operation.launch = [passes](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    auto* const q = set.out<E4m3>();
    return swiglu_quantize(set.in<T>(0), set.in<T>(1), q,
                           reinterpret_cast<float*>(q + shape.elements()), shape.rows,
                           shape.columns, shape.columns, passes, stream);
  };
  operation.verify = [](const Shape& shape, const void* bytes, std::size_t begin,
                        std::size_t count) -> std::string {
    static const QuantizeReference<T> reference;
    const auto* const q = static_cast<const E4m3*>(bytes);
    const auto first = static_cast<std::int64_t>(begin),
               end = first + static_cast<std::int64_t>(count);
    std::int64_t known = -1;
    double size = 0.0;
    for (std::int64_t i = first; i < std::min(end, shape.elements()); ++i) {
      const std::int64_t row = i / shape.columns;
      if (row != known) size = reference.size_of_row(known = row, shape.columns);
      if (!(test::ulp_error(q[i - first], reference.at(i) * 448.0 / size) <= 0.51)) {
        return wrong(i);
      }
    }
    for (std::int64_t i = std::max(first, shape.elements()); i + 4 <= end; i += 4) {
      const std::int64_t row = (i - shape.elements()) / 4;
      float scale;
      std::memcpy(&scale, q + (i - first), sizeof(scale));
      if (!(std::fabs(scale * 448.0 / reference.size_of_row(row, shape.columns) - 1.0) <= 1e-6)) {
        return "the scale of row " + std::to_string(row) + " is wrong";
      }
    }
    return "";
  };
  add(operation);
}

template <class T>
void add_backward_and_quantize() {
  add_binary_ladder<T>("swish_backward", swish_backward_rungs<T>(),
                       swish_backward_operator_rung<T>(), swish_backward_reference);
  auto rungs = swiglu_backward_rungs<T>();
  rungs.push_back({std::string("operator_") + dtype_name<T>(), swiglu_backward<T>,
                   rungs.back().width, sizeof(T), rungs.back().max_ulp});
  for (const TwoGradientsRung<T>& rung : rungs) add_swiglu_backward(rung);
  add_swiglu_backward_halves<T>();
  add_swiglu_quantize<T>("two_passes", RowPasses::two_passes);
  add_swiglu_quantize<T>("one_pass", RowPasses::one_pass);
  // The operator where a cluster has each row: few tokens, and rows that no block holds. On the executor the shortest such rows.
  constexpr std::int64_t kPack = 16 / sizeof(T);
  add_swiglu_quantize<T>("operator", RowPasses::fitting,
                         on_gpu ? std::vector<Shape>{{16, 14336}, {16, 53248}}
                                : std::vector<Shape>{{2, 960 * kPack}, {1, 4097 * kPack}});
}

}  // namespace

void register_benchmarks() {
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    add_ladder("swish", swish_rungs<T>(), kReference);
    add_operator_and_peers<T>();
  });
  const auto one = [](float x) { return x / (1.0f + std::exp(-x)); };
  add_unary<float>("swish", "host_loop_f32", Kind::peer, host_loop<float, float>(one), kReference,
                   64.0);
  add_rung("swish", Kind::yours, your_swish_rung(), kReference);
  for_each_type(Fp8{},
                [](auto type) { add_ladder("swish", swish_rungs<decltype(type)>(), kReference); });
  for_each_type(Floats{}, [](auto type) { add_swiglu<decltype(type)>(); });
  for_each_type(Floats{}, [](auto type) { add_backward_and_quantize<decltype(type)>(); });
}

}  // namespace tutorial::bench
