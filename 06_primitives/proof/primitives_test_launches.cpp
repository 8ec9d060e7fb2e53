// Which kernel each function of primitives.h launches: launches.txt.
#include "06_primitives/primitives.h"
#include "common/proof/catch.h"
#include "common/proof/launches.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr std::int64_t kCount = 1'048'579;

template <class T>
void add_elementwise(LaunchTable& table, const std::string& dtype) {
  // In blocks of 256 threads while three arrays have 64 MiB, and of 704 beyond.
  constexpr std::int64_t most = (std::int64_t{64} << 20) / (3 * sizeof(T));
  table.add_binary<T>("add " + dtype, {most, most + 1}, add<T>);
  table.add_binary<T>("add_by_hand " + dtype, {most, most + 1}, add_by_hand<T>);
  const auto three = std::vector<std::size_t>(4, sizeof(T));
  table.add("multiply_add " + dtype, LaunchTable::number(kCount), three,
            [](const Addresses& at, cudaStream_t stream) {
              return multiply_add<T>(at.of<T>(0), at.of<T>(1), at.of<T>(2), at.of<T>(3), kCount,
                                     stream);
            });
  table.add("sum4 " + dtype, LaunchTable::number(kCount), std::vector<std::size_t>(5, sizeof(T)),
            [](const Addresses& at, cudaStream_t stream) {
              return sum4<T>(at.of<T>(0), at.of<T>(1), at.of<T>(2), at.of<T>(3), at.of<T>(4),
                             kCount, stream);
            });
  table.add_unary<T>("elu " + dtype, {kCount}, elu<T>);
  table.add_unary<T>("gelu " + dtype, {kCount}, gelu<T>);
  table.add_unary<T>("swish " + dtype, {kCount}, swish<T>);
}

template <class T>
void add_ladder(LaunchTable& table) {
  const std::vector<BinaryRung<T>>& rungs = add_rungs<T>();
  // The sixth has no more blocks than the GPU holds at once, which these elements are too few for, and
  // 2^28 are not.
  table.add_rungs(rungs, kCount);
  const BinaryRung<T>& grid_stride = rungs[5];
  table.add(grid_stride.name, LaunchTable::number(1 << 28), {16, 16, 16},
            [&](const Addresses& at, cudaStream_t stream) {
              return grid_stride.launch(at.of<T>(0), at.of<T>(1), at.of<T>(2), 1 << 28, stream);
            });
}

struct Matrix {
  std::int64_t rows, columns;
  std::string text() const {
    return LaunchTable::number(rows) + " x " + LaunchTable::number(columns);
  }
};

template <class T, class Launch>
void add_matrix(LaunchTable& table, const std::string& name, const std::vector<Matrix>& matrices,
                Launch launch) {
  for (const Matrix& m : matrices) {
    table.add(name, m.text(), {sizeof(T), sizeof(T)},
              [&](const Addresses& at, cudaStream_t stream) {
                return launch(at.of<T>(0), at.of<T>(1), m.rows, m.columns, stream);
              });
  }
}

template <class T, class Launch>
void add_bias(LaunchTable& table, const std::string& name, Launch launch) {
  const std::int64_t most =
      448 * 2048 / sizeof(T) / 14336;  // rows whose blocks let the next launch begin
  for (const Matrix& m :
       {Matrix{4096, 4096}, Matrix{1000, 1003}, Matrix{most, 14336}, Matrix{most + 1, 14336}}) {
    table.add(name, m.text(), std::vector<std::size_t>(3, sizeof(T)),
              [&](const Addresses& at, cudaStream_t stream) {
                return launch(at.of<T>(0), at.of<T>(1), at.of<T>(2), m.rows, m.columns, stream);
              });
  }
}

template <class T>
void add_reductions(LaunchTable& table, const std::string& dtype) {
  const std::vector<Matrix> matrices = {{16384, 16384},
                                        {64, 1 << 20},
                                        {1 << 20, 64},
                                        {32768, 8192},
                                        {128, 8192},
                                        {8192, 8191},
                                        {std::int64_t{1} << 32, 3}};
  const std::vector<Matrix> few_rows = {{1, 131072}, {1, 1 << 20}, {16, 151936}};
  for (const Dimension dimension : {Dimension::outer, Dimension::inner}) {
    const std::string name = dimension == Dimension::outer ? "sum outer " : "sum inner ";
    std::vector<Matrix> all = matrices;
    if (dimension == Dimension::inner) all.insert(all.end(), few_rows.begin(), few_rows.end());
    add_matrix<T>(table, name + dtype, all,
                  [=](const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t s) {
                    void* const workspace = reinterpret_cast<void*>(4096);
                    return reduce(Reduction::sum, dimension, x, y, rows, columns, workspace,
                                  std::size_t{1} << 40, s);
                  });
  }
  struct View {
    const char* name;
    TensorLayout x;
    std::int64_t dim;
    TensorLayout y;
  };
  const View views[] = {
      {"sum of half rows ", {{4096, 4096}, {8192, 1}}, 1, contiguous_layout({4096})},
      {"sum of every second ", {{4096, 4096}, {8192, 2}}, 1, contiguous_layout({4096})},
      {"sum of the middle ", contiguous_layout({64, 512, 512}), 1, contiguous_layout({64, 512})},
      {"sum of the outer ", contiguous_layout({512, 64, 512}), 0, contiguous_layout({64, 512})},
  };
  for (const View& view : views) {
    table.add(view.name + dtype, tutorial::to_string(view.x.shape), {sizeof(T), sizeof(T)},
              [&](const Addresses& at, cudaStream_t s) {
                return reduce(Reduction::sum, TensorView<const T>{at.of<T>(0), view.x}, view.dim,
                              TensorView<T>{at.of<T>(1), view.y}, reinterpret_cast<void*>(4096),
                              std::size_t{1} << 40, s);
              });
  }
}

template <class T>
void add_rows(LaunchTable& table, const std::string& dtype) {
  constexpr std::int64_t kPack = 16 / sizeof(T), kKib = 64 * kPack;
  add_matrix<T>(table, "softmax " + dtype,
                {{33, 8200 * kPack},
                 {257, 8 * 75 * kKib},
                 {257, 8 * 75 * kKib + kPack},
                 {257, 8 * 112 * kKib},
                 {257, 8 * 112 * kKib + kPack},
                 {257, 8 * 144 * kKib},
                 {257, 8 * 144 * kKib + kPack},
                 {257, 8 * 220 * kKib},
                 {257, 8 * 220 * kKib + kPack},
                 {257, 8 * 332 * kKib},
                 {257, 8 * 332 * kKib + kPack},
                 {511, 40 * kKib},
                 {512, 40 * kKib},
                 {511, 40 * kKib + kPack},
                 {128, 2 * 40 * kKib + kPack},
                 {128, 4 * 40 * kKib},
                 {128, 4 * 40 * kKib + kPack},
                 {97, 40 * kKib},
                 {97, 40 * kKib + kPack},
                 {97, 80 * kKib},
                 {97, 80 * kKib + kPack},
                 {1, 1024 * kPack},
                 {8, 1032 * kPack},
                 {32, 1536 * kPack},
                 {33, 1536 * kPack},
                 {33, 1544 * kPack},
                 {64, 2048 * kPack},
                 {65, 2048 * kPack},
                 {47, 4096 * kPack},
                 {48, 4096 * kPack},
                 {48, 4104 * kPack},
                 {97, 3064 * kPack},
                 {128, 3072 * kPack},
                 {128, 4096 * kPack},
                 {129, 4096 * kPack},
                 {97, 4088 * kPack},
                 {15, 8 * 144 * kKib},
                 {16, 8 * 144 * kKib},
                 {1, 8192 * kPack},
                 {1, 8200 * kPack},
                 {7, 8192 * kPack},
                 {8, 8192 * kPack},
                 {2, 12288 * kPack},
                 {2, 12296 * kPack},
                 {3, 12296 * kPack},
                 {4, 12296 * kPack},
                 {64, 16384 * kPack},
                 {65, 16384 * kPack},
                 {48, 16392 * kPack},
                 {49, 16392 * kPack},
                 {4, 16 * 1280 * kPack},
                 {4, (16 * 1280 + 8) * kPack},
                 {4, 16 * 1536 * kPack},
                 {4, (16 * 1536 + 8) * kPack},
                 {256, 24576 * kPack},
                 {257, 24576 * kPack},
                 {12, 32768 * kPack},
                 {13, 32768 * kPack},
                 {32, 20480 * kPack},
                 {33, 20480 * kPack},
                 {33, 20488 * kPack},
                 {8, 32768 * kPack},
                 {7, 32776 * kPack},
                 {8, 32776 * kPack},
                 {4, 49160 * kPack},
                 {5, 65536 * kPack},
                 {5, 65544 * kPack},
                 {33, 16 * 332 * kKib},
                 {33, 16 * 332 * kKib + kPack},
                 {4096, 512},
                 {4096, 1024},
                 {4096, 4096},
                 {4096, 8191},
                 {4096, 32768},
                 {64, 65536},
                 {64, 131072},
                 {64, 1 << 21}},
                softmax<T>);
  add_matrix<T>(table, "softmax_split " + dtype,
                {{1, 16384},
                 {1, 32768},
                 {1, 131072},
                 {4, 50257},
                 {64, 1 << 22},
                 {7, 131072},
                 {8, 131072},
                 {9, 131072},
                 {10, 131072},
                 {65, 131072},
                 {7, 65544 * kPack},
                 {8, 65544 * kPack},
                 {9, 65544 * kPack},
                 {10, 65544 * kPack},
                 {13, 65544 * kPack},
                 {14, 65544 * kPack},
                 {15, 65544 * kPack},
                 {16, 65544 * kPack},
                 {15, 65544 * kPack + 1},
                 {16, 65544 * kPack + 1},
                 {18, 65544 * kPack},
                 {19, 65544 * kPack},
                 {24, 65544 * kPack},
                 {25, 65544 * kPack},
                 {20, 8 * 144 * kKib},
                 {20, 8 * 144 * kKib + 8 * kPack},
                 {21, 8 * 144 * kKib + 8 * kPack},
                 {23, 8 * 144 * kKib + 8 * kPack},
                 {24, 8 * 144 * kKib + 8 * kPack},
                 {23, 200000 * kPack},
                 {24, 200000 * kPack},
                 {24, 340000 * kPack}},
                [](const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
                  void* const workspace = reinterpret_cast<void*>(4096);
                  return softmax_split(x, y, rows, columns, workspace, std::size_t{1} << 40,
                                       stream);
                });
  add_matrix<T>(table, "cumsum_split " + dtype,
                {{1, 131072},
                 {32, 50257},
                 {1, 32768},
                 {7, 12288 * kPack},
                 {8, 12288 * kPack},
                 {8, 24584 * kPack},
                 {11, 24584 * kPack},
                 {12, 24584 * kPack},
                 {32, 24584 * kPack},
                 {33, 24584 * kPack},
                 {11, 32768 * kPack},
                 {12, 32768 * kPack},
                 {15, 65544 * kPack},
                 {16, 65544 * kPack},
                 {32, 32768 * kPack},
                 {33, 32760 * kPack},
                 {33, 32768 * kPack},
                 {32, 8 * 220 * kKib + kPack},
                 {33, 8 * 220 * kKib + kPack}},
                [](const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
                  void* const workspace = reinterpret_cast<void*>(4096);
                  return cumsum_split(x, y, rows, columns, workspace, std::size_t{1} << 40, stream);
                });
  add_matrix<T>(table, "softmax_two_reductions " + dtype, {{4096, 1024}},
                softmax_two_reductions<T>);
  add_matrix<T>(table, "cumsum " + dtype,
                {{4096, 1024},         {4096, 1280},         {4096, 1023},
                 {4096, 8192},         {256, 4096},          {256, 3072},
                 {24, 8192},           {25, 8192},           {64, 8200},
                 {160, 1536 * kPack},  {161, 1536 * kPack},  {64, 2048 * kPack},
                 {65, 2048 * kPack},   {96, 3072 * kPack},   {97, 3072 * kPack},
                 {1023, 3072 * kPack}, {1024, 3072 * kPack}, {160, 4096 * kPack},
                 {161, 4096 * kPack},  {1024, 4096 * kPack}, {47, 4104 * kPack},
                 {48, 4104 * kPack},   {96, 4104 * kPack},   {97, 4104 * kPack},
                 {97, 6144 * kPack},   {128, 8192 * kPack},  {129, 8192 * kPack},
                 {160, 8184 * kPack},  {161, 8184 * kPack},  {161, 8192 * kPack},
                 {64, 12288 * kPack},  {65, 12288 * kPack},  {65, 12296 * kPack},
                 {192, 49152 * kPack}, {193, 49152 * kPack}, {192, 49160 * kPack},
                 {193, 49160 * kPack}, {64, 8 * 220 * kKib}, {64, 8 * 220 * kKib + kPack}},
                cumsum<T>);
}

/// The left halves of rows.
template <class T>
void add_half_rows(LaunchTable& table, const std::string& dtype) {
  const TensorLayout half = {{4096, 1024}, {2048, 1}};
  table.add("rows with gaps " + dtype, tutorial::to_string(half.shape), {sizeof(T), sizeof(T)},
            [&](const Addresses& at, cudaStream_t stream) {
              const TensorView<const T> x{at.of<T>(0), half};
              const TensorView<T> y{at.of<T>(1), half};
              const cudaError_t error = softmax_rows(x, y, stream);
              if (error != cudaSuccess) return error;
              return cumsum_rows(x, y, stream);
            });
  const TensorLayout odd = {{4096, 1024}, {1025, 1}};  // begins like the result, and then does not
  table.add("cumsum of odd rows " + dtype, tutorial::to_string(odd.shape), {sizeof(T), sizeof(T)},
            [&](const Addresses& at, cudaStream_t stream) {
              return cumsum_rows(TensorView<const T>{at.of<T>(0), odd},
                                 TensorView<T>{at.of<T>(1), half}, stream);
            });
  table.add("sort_rows with gaps " + dtype, tutorial::to_string(half.shape),
            {sizeof(T), sizeof(T), 4}, [&](const Addresses& at, cudaStream_t stream) {
              return sort_rows(TensorView<const T>{at.of<T>(0), half},
                               TensorView<T>{at.of<T>(1), half},
                               TensorView<std::int32_t>{at.of<std::int32_t>(2), half}, stream);
            });
}

template <class T>
void add_sorts(LaunchTable& table, const std::string& dtype) {
  for (const std::int64_t columns : {100, 128, 1024, 8192}) {
    const Matrix m{4096, columns};
    add_matrix<T>(table, "sort_rows " + dtype, {m},
                  [](const T* x, T* y, std::int64_t rows, std::int64_t n, cudaStream_t stream) {
                    return sort_rows(x, y, rows, n, stream);
                  });
    table.add("sort_rows with index " + dtype, m.text(), {sizeof(T), sizeof(T), 4},
              [&](const Addresses& at, cudaStream_t stream) {
                return sort_rows(at.of<T>(0), at.of<T>(1), at.of<std::int32_t>(2), m.rows,
                                 m.columns, stream);
              });
  }
}

}  // namespace

TEST_CASE("primitives: which kernel runs, in how many blocks") {
  LaunchTable table;
  add_elementwise<float>(table, "f32");
  add_elementwise<half>(table, "f16");
  add_elementwise<Bf16>(table, "bf16");
  table.add("add_to_float", LaunchTable::number(kCount), {2, 2, 4},
            [](const Addresses& at, cudaStream_t stream) {
              return add_to_float(at.of<half>(0), at.of<half>(1), at.of<float>(2), kCount, stream);
            });
  add_ladder<float>(table);
  add_ladder<half>(table);
  add_bias<float>(table, "bias_add_cycle f32", bias_add_cycle<float>);
  add_bias<half>(table, "bias_add_cycle f16", bias_add_cycle<half>);
  add_bias<float>(table, "bias_add_broadcast f32", bias_add_broadcast<float>);
  add_bias<half>(table, "bias_add_broadcast f16", bias_add_broadcast<half>);
  add_reductions<float>(table, "f32");
  add_reductions<half>(table, "f16");
  add_rows<float>(table, "f32");
  add_rows<half>(table, "f16");
  add_sorts<float>(table, "f32");
  add_sorts<half>(table, "f16");
  add_half_rows<float>(table, "f32");
  add_half_rows<half>(table, "f16");
  table.check("06_primitives/proof/launches.txt");
}

TEST_CASE("primitives: which kernel runs for rows that are no whole packs") {
  LaunchTable table;
  const auto bias = [&](std::int64_t rows, std::int64_t columns) {
    table.add("bias_add_cycle f16", Matrix{rows, columns}.text(), {2, 2, 2},
              [=](const Addresses& at, cudaStream_t stream) {
                return bias_add_cycle(at.of<half>(0), at.of<half>(1), at.of<half>(2), rows, columns,
                                      stream);
              });
  };
  for (const std::int64_t rows : {9, 10}) bias(rows, 14335);
  for (const std::int64_t rows : {256, 257}) bias(rows, 333);
  add_matrix<half>(
      table, "sum inner f16", {{128, 32767}, {129, 32767}, {128, 32769}},
      [](const half* x, half* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
        return reduce(Reduction::sum, Dimension::inner, x, y, rows, columns,
                      reinterpret_cast<void*>(4096), std::size_t{1} << 40, stream);
      });
  table.check("06_primitives/proof/launches_odd_rows.txt");
}

TEST_CASE("primitives: which kernel runs for short rows and columns") {
  LaunchTable table;
  std::vector<Matrix> all;
  for (const std::int64_t columns :
       {1,   2,   4,   7,   24,  32,  33,  64,  65,  96,  97,  128, 129, 200, 201, 256,
        257, 288, 289, 384, 385, 388, 480, 481, 512, 513, 544, 545, 640, 641, 768, 769}) {
    for (const std::int64_t rows : {1024, 8192}) all.push_back({rows, columns});
  }
  for (const Matrix& m : {Matrix{1025, 33},
                          {1025, 64},
                          {1025, 97},
                          {8191, 129},
                          {8191, 384},
                          {8192, 160},
                          {8192, 164},
                          {65536, 32},
                          {65537, 32},
                          {262144, 8},
                          {262145, 8},
                          {600000, 1}}) {
    all.push_back(m);
  }
  add_matrix<float>(table, "softmax f32", all, softmax<float>);
  add_matrix<half>(table, "softmax f16", all, softmax<half>);
  add_matrix<half>(table, "cumsum f16", all, cumsum<half>);
  add_matrix<float>(table, "cumsum f32", all, cumsum<float>);
  const auto sum = [](Dimension dimension) {
    return [dimension](const auto* x, auto* y, std::int64_t rows, std::int64_t columns,
                       cudaStream_t stream) {
      return reduce(Reduction::sum, dimension, x, y, rows, columns, reinterpret_cast<void*>(4096),
                    std::size_t{1} << 40, stream);
    };
  };
  add_matrix<half>(table, "sum inner f16", all, sum(Dimension::inner));
  add_matrix<float>(table, "sum inner f32", all, sum(Dimension::inner));
  add_matrix<half>(table, "sum outer f16",
                   {{4, 1024},
                    {5, 1024},
                    {12, 131072},
                    {12, 131071},
                    {13, 131072},
                    {32, 524288},
                    {33, 524288},
                    {32, 524287}},
                   sum(Dimension::outer));
  std::vector<Matrix> of_few;  // of few rows or few columns
  for (const std::int64_t rows : {64, 65, 128, 129, 256, 257, 512, 513, 2048, 2049, 65536, 65537}) {
    of_few.push_back({rows, 64});
  }
  for (const std::int64_t rows : {300, 600}) {
    for (const std::int64_t columns : {1024, 1032, 3072, 3080, 4096, 4104, 8192, 8200}) {
      of_few.push_back({rows, columns});
    }
  }
  for (const Matrix& m :
       {Matrix{128, 8192}, {128, 8200},  {128, 65536}, {128, 65544}, {128, 131072},
        {128, 131080},     {256, 8192},  {256, 8200},  {3000, 512},  {3000, 520},
        {4096, 1032},      {4097, 1032}, {4096, 2048}, {4096, 2056}, {4096, 4096},
        {4096, 4104},      {5120, 512},  {5121, 512},  {10240, 512}, {10241, 512}}) {
    of_few.push_back(m);
  }
  for (const Matrix& m :  // of an odd width: a column a lane
       {Matrix{16, 6143},
        {16, 6145},
        {17, 8191},
        {17, 8193},
        {32, 16383},
        {32, 16385},
        {33, 6143},
        {33, 6145},
        {64, 6145},
        {65, 16383},
        {128, 16383},
        {128, 16385},
        {129, 8191},
        {129, 8193},
        {1024, 8191},
        {1025, 8191},
        {100, 255},
        {100, 257}}) {
    of_few.push_back(m);
  }
  add_matrix<half>(table, "sum outer f16", of_few, sum(Dimension::outer));
  add_matrix<float>(table, "sum outer f32", of_few, sum(Dimension::outer));
  table.check("06_primitives/proof/launches_short_rows.txt");
}

TEST_CASE("primitives: which kernel adds up rows that are not short, 2^32 of them") {
  LaunchTable table;
  add_matrix<half>(
      table, "sum inner f16", {{std::int64_t{1} << 32, 1000}},
      [](const half* x, half* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
        return reduce(Reduction::sum, Dimension::inner, x, y, rows, columns,
                      reinterpret_cast<void*>(4096), std::size_t{1} << 40, stream);
      });
  table.check("06_primitives/proof/launches_many_rows.txt");
}

namespace {

/// The sum along the middle of matrices of these rows and columns, one behind the other.
template <class T>
void add_middles(LaunchTable& table, const std::string& dtype,
                 const std::vector<TensorShape>& shapes) {
  for (const TensorShape& shape : shapes) {
    table.add("sum of the middle " + dtype, tutorial::to_string(shape), {sizeof(T), sizeof(T)},
              [&](const Addresses& at, cudaStream_t stream) {
                const TensorView<const T> x{at.of<T>(0), contiguous_layout(shape)};
                const TensorView<T> y{at.of<T>(1), contiguous_layout({shape[0], shape[2]})};
                return reduce(Reduction::sum, x, 1, y, reinterpret_cast<void*>(4096),
                              std::size_t{1} << 40, stream);
              });
  }
}

}  // namespace

TEST_CASE("primitives: which kernel adds up a middle dimension, and rows of whole packs") {
  LaunchTable table;
  const std::vector<TensorShape> both = {
      {16, 4, 512},    {16, 5, 512},   {512, 2, 511},    {127, 2, 511},   {128, 3, 511},
      {129, 3, 511},   {512, 5, 511},  {20, 12, 512},    {255, 16, 512},  {256, 16, 512},
      {20, 8, 512},    {63, 16, 512},  {64, 16, 512},    {128, 32, 512},  {127, 32, 512},
      {128, 33, 512},  {2048, 64, 32}, {8192, 64, 16},   {2047, 64, 16},  {256, 64, 511},
      {257, 64, 511},  {257, 65, 511}, {4, 65, 512},     {16, 65, 512},   {64, 128, 512},
      {64, 129, 512},  {8, 129, 512},  {17, 129, 512},   {64, 256, 512},  {256, 256, 512},
      {64, 257, 512},  {64, 512, 512}, {32, 512, 512},   {16, 513, 512},  {2, 513, 512},
      {32, 513, 512},  {8, 1024, 512}, {8, 1025, 512},   {65535, 65, 64}, {65536, 65, 64},
      {64, 512, 511},  {64, 513, 511}, {1024, 512, 511}, {32, 256, 2047}, {64, 256, 993},
      {32, 256, 1239}, {32, 256, 1240}};
  add_middles<half>(table, "f16", both);
  add_middles<float>(table, "f32", both);
  const auto sum = [](const auto* x, auto* y, std::int64_t rows, std::int64_t columns,
                      cudaStream_t stream) {
    return reduce(Reduction::sum, Dimension::inner, x, y, rows, columns,
                  reinterpret_cast<void*>(4096), std::size_t{1} << 40, stream);
  };
  const std::vector<Matrix> rows = {
      {7, 10240},   {8, 10240},   {102, 10232}, {103, 10232}, {682, 1536},   {683, 1536},
      {2731, 1536}, {2730, 1528}, {511, 4096},  {512, 4096},  {16384, 4096}, {16376, 4096},
      {4096, 2048}, {8, 16384},   {512, 16384}, {32, 20480},  {8, 24576},    {23, 24576},
      {24, 24576},  {24, 32768},  {23, 32768},  {24, 40960},  {36, 40960},   {24, 65536},
      {23, 65536},  {48, 65536},  {47, 65536},  {24, 81920},  {96, 131072},  {95, 131072}};
  add_matrix<half>(table, "sum inner f16", rows, sum);
  add_matrix<float>(table, "sum inner f32", rows, sum);
  table.check("06_primitives/proof/launches_middle.txt");
}

namespace {

/// Both sides of every limit of rows in packs; `packs` of T, and elements more.
template <class T>
void add_packed_rows(LaunchTable& table, const std::string& dtype) {
  constexpr std::int64_t kPack = 16 / sizeof(T);
  std::vector<Matrix> all;
  const auto both = [&](std::int64_t rows, std::int64_t columns, std::int64_t more = 1) {
    all.push_back({rows, columns});
    all.push_back({rows, columns + more});
  };
  // Of whole packs: how many a thread has.
  for (const std::int64_t packs : {64, 96, 128, 192, 512, 1024, 3072}) {
    both(300, packs * kPack, kPack);
  }
  for (const std::int64_t rows : {256, 257, 2048, 2049}) {
    for (const std::int64_t packs : {48, 160, 320, 2000}) all.push_back({rows, packs * kPack});
  }
  all.push_back({20000, 192 * kPack});
  both(4096, 4088, 8);  // 2^24 elements
  both(4095, 4096, 512);
  // From anywhere, up to the elements that a pack less may hold.
  for (const std::int64_t packs : {129, 192, 256, 1024, 1568, 2304}) {
    both(300, (packs - 1) * kPack + 1);
  }
  for (const std::int64_t rows : {256, 257, 1023, 1024}) {
    for (const std::int64_t columns : {1024, 1025, 1536, 1537, 4097})
      all.push_back({rows, columns});
  }
  both(300, 12288, 1);
  both(256, 4096, 1);
  both(257, 4096, 1);
  both(2, std::int64_t{1} << 30, kPack);  // the longest that is counted in 32 bits
  all.push_back({2, (std::int64_t{1} << 30) - 1});
  for (const std::int64_t columns :
       {2048 * kPack - kPack, 2048 * kPack - kPack + 2}) {  // a tile, and a pack more
    both(256, columns);
  }
  constexpr std::int64_t kOne = 352;  // threads, with one pack for each
  for (const std::int64_t at_once : {1 << 16, 1 << 17}) {
    for (const std::int64_t rows :
         {at_once / kOne, at_once / kOne + 1, 2 * at_once / (kOne / 2 + 16),
          2 * at_once / (kOne / 2 + 16) + 1}) {
      for (const std::int64_t columns : {kOne * kPack, (kOne - 32) * kPack + 1}) {
        all.push_back({rows, columns});
      }
    }
  }
  add_matrix<T>(table, "softmax " + dtype, all, softmax<T>);
  add_matrix<T>(table, "cumsum " + dtype, all, cumsum<T>);
  for (const std::int64_t gap : {1, 8}) {
    for (const std::int64_t columns : {512, 520, 1024, 2048}) {
      const TensorLayout rows = {{300, columns}, {columns + gap, 1}};
      table.add("gaps of " + std::to_string(gap) + " " + dtype, tutorial::to_string(rows.shape),
                {sizeof(T), sizeof(T)}, [&](const Addresses& at, cudaStream_t stream) {
                  const TensorView<const T> x{at.of<T>(0), rows};
                  const TensorView<T> y{at.of<T>(1), rows};
                  const cudaError_t error = softmax_rows(x, y, stream);
                  return error == cudaSuccess ? cumsum_rows(x, y, stream) : error;
                });
    }
  }
}

}  // namespace

TEST_CASE("primitives: which kernel runs for rows in packs, whole ones and from anywhere") {
  LaunchTable table;
  add_packed_rows<float>(table, "f32");
  add_packed_rows<half>(table, "f16");
  table.check("06_primitives/proof/launches_rows.txt");
}
