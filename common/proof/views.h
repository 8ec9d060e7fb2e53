// Tensors of any strides in memory of their own, and what an operator makes of them.
#pragma once

#include "common/proof/broadcast_cases.h"
#include "common/proof/buffers.h"
#include "common/refusal.h"
#include "common/strided.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutorial::test {

inline std::string to_text(const TensorLayout& layout) {
  return tutorial::to_string(layout.shape) + " by " + tutorial::to_string(layout.strides);
}

/// The place of the element that belongs to `index` of the result.
inline std::int64_t place_of(const TensorLayout& layout, const TensorShape& index) {
  const std::size_t front = index.size() - layout.shape.size();
  std::int64_t place = 0;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] != 1) place += index[front + d] * layout.strides[d];
  }
  return place;
}

/// The places from the first element to the last.
inline std::size_t span_of(const TensorLayout& layout) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    last += (layout.shape[d] - 1) * layout.strides[d];
  }
  return static_cast<std::size_t>(last) + 1;
}

/// A tensor in memory of its own, of so many elements, beginning `offset` elements past a line.
template <class T>
struct Placed {
  Placed(TensorLayout of, std::size_t offset, unsigned seed)
      : layout(std::move(of)), values(span_of(layout)), memory(values.size(), offset) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int number = static_cast<int>((i * 37 + seed * 11) % 29);
      values[i] = static_cast<T>(static_cast<float>(std::is_unsigned_v<T> ? number : number - 14));
    }
    memory.upload(values);
  }

  TensorView<const T> in() const { return {memory.data(), layout}; }
  TensorView<T> out() const { return {memory.data(), layout}; }

  TensorLayout layout;
  std::vector<T> values;
  GuardedBuffer<T> memory;
};

/// Calls visit(index) for every element, in row-major order.
template <class Visit>
void for_each_index(const TensorShape& shape, const Visit& visit) {
  TensorShape index(shape.size(), 0);
  for (std::int64_t n = elements_of(shape); n > 0; --n) {
    visit(index);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

/// What is wrong after the call; expected(index) is right.
template <class Out, class Expected>
std::string mistake(const Placed<Out>& y, cudaError_t error, const Expected& expected) {
  if (error != cudaSuccess) return std::string(cudaGetErrorName(error)) + ": " + last_refusal();
  std::vector<Out> right = y.values;
  for_each_index(y.layout.shape, [&](const TensorShape& index) {
    right[static_cast<std::size_t>(place_of(y.layout, index))] = expected(index);
  });
  const std::vector<Out> now = y.memory.download();
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (std::memcmp(&now[i], &right[i], sizeof(Out)) != 0) {
      return "place " + std::to_string(i) + " of the result";
    }
  }
  return y.memory.damage();
}

/// The value of an operand at an index of the result.
template <class T>
T value_at(const Placed<T>& x, const TensorShape& index) {
  return x.values[static_cast<std::size_t>(place_of(x.layout, index))];
}

/// Rows that begin `pitch` elements apart.
inline TensorLayout rows_of(std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
  return {{rows, columns}, {pitch, 1}};
}
/// The transposed of such rows.
inline TensorLayout transposed(std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
  return {{rows, columns}, {1, pitch}};
}

/// The layouts of a result and of as many operands as an operator has, at most three.
struct LayoutCase {
  TensorLayout y, x[3];
};

/// Those that users have: parts of rows with a length that packs divide and with others, transposed
/// operands and results, every second element, operands that broadcast; and rows without gaps.
inline std::vector<LayoutCase> layout_cases() {
  const TensorLayout dense = rows_of(70, 72, 72), odd = rows_of(9, 57, 57);
  return {
      {dense, {rows_of(70, 72, 144), rows_of(70, 72, 144), dense}},
      {odd, {rows_of(9, 57, 114), rows_of(9, 57, 58), rows_of(9, 57, 64)}},
      {rows_of(9, 57, 60), {rows_of(9, 57, 60), odd, rows_of(9, 57, 61)}},
      {dense, {transposed(70, 72, 72), dense, rows_of(70, 72, 80)}},
      {transposed(70, 72, 70), {dense, transposed(70, 72, 71), {{72}, {1}}}},
      {dense, {{{70, 72}, {144, 2}}, {{70, 1}, {5, 1}}, {{70, 72}, {0, 1}}}},
      {dense, {dense, dense, dense}},
  };
}

/// What is wrong with an operator on tensors of any strides, against the same operator on its operands
/// written out without gaps: on_views(y, x...) and dense(y, n, x...) return a cudaError_t.
template <class Out, class... In, class OnViews, class Dense, std::size_t... I>
std::string mistake_of_views(const OnViews& on_views, const Dense& dense,
                             std::index_sequence<I...>) {
  std::size_t at = 0;
  for (const LayoutCase& one : layout_cases()) {
    at = at % 5 + 1;
    const Placed<Out> y(one.y, at, 0);
    const std::tuple<Placed<In>...> x{
        Placed<In>(one.x[I], 2 * at + I, static_cast<unsigned>(I) + 1)...};
    std::vector<TensorShape> indices;
    for_each_index(one.y.shape, [&](const TensorShape& index) { indices.push_back(index); });
    const auto written_out = [&](const auto& operand) {
      using T = typename std::decay_t<decltype(operand.values)>::value_type;
      std::vector<T> values;
      for (const TensorShape& index : indices) values.push_back(value_at(operand, index));
      return values;
    };
    const std::tuple<GuardedBuffer<In>...> all{GuardedBuffer<In>(written_out(std::get<I>(x)))...};
    const GuardedBuffer<Out> right(indices.size());
    cudaError_t error = dense(right.data(), static_cast<std::int64_t>(indices.size()),
                              static_cast<const In*>(std::get<I>(all).data())...);
    if (error != cudaSuccess) return "the call without gaps fails";
    const std::vector<Out> results = right.download();
    error = on_views(y.out(), std::get<I>(x).in()...);
    std::size_t next = 0;
    const std::string wrong =
        mistake(y, error, [&](const TensorShape&) { return results[next++]; });
    if (!wrong.empty())
      return wrong + ", y " + to_text(one.y) + ((" x " + to_text(one.x[I])) + ...);
  }
  return "";
}
template <class Out, class... In, class OnViews, class Dense>
std::string mistake_of_views(const OnViews& on_views, const Dense& dense) {
  return mistake_of_views<Out, In...>(on_views, dense, std::index_sequence_for<In...>{});
}

// ---- At random ----------------------------------------------------------------------------------

using Random = std::mt19937_64;

inline std::int64_t below(Random& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

inline bool one_in(Random& random, std::int64_t n) { return below(random, n) == 0; }

/// A layout of the shape in any order of its dimensions, with or without gaps. No two elements share
/// a place. Source: Random, or another with below() and one_in().
template <class Source>
TensorLayout random_layout(Source& random, const TensorShape& shape) {
  TensorLayout layout{shape, std::vector<std::int64_t>(shape.size())};
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (one_in(random, 2)) {
    for (std::size_t d = order.size(); d > 1; --d) {
      std::swap(order[d - 1],
                order[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(d)))]);
    }
  }
  std::int64_t step = one_in(random, 4) ? 1 + below(random, 3) : 1;
  for (std::size_t d = order.size(); d-- > 0;) {
    layout.strides[order[d]] = step;
    step *= std::max<std::int64_t>(shape[order[d]], 1);
    if (one_in(random, 3)) step += below(random, 20);
  }
  return layout;
}

/// The layout of an operand that broadcasts to the shape.
inline TensorLayout random_operand(Random& random, const TensorShape& shape) {
  TensorShape own = shape;
  if (below(random, 4) == 0) {
    own.erase(own.begin(), own.begin() + below(random, static_cast<std::int64_t>(own.size()) + 1));
  }
  TensorLayout layout = random_layout(random, own);
  for (std::size_t d = 0; d < own.size(); ++d) {
    if (below(random, 6) != 0) continue;
    if (below(random, 2) == 0) {
      layout.shape[d] = 1;
    } else {
      layout.strides[d] = 0;
    }
  }
  return layout;
}

inline TensorShape random_shape(Random& random, int most_dimensions = kMaxDimensions) {
  TensorShape shape(static_cast<std::size_t>(below(random, most_dimensions + 1)));
  std::int64_t left = 6000;
  for (std::int64_t& size : shape) {
    size = 1 + below(random, std::min<std::int64_t>(left, below(random, 3) == 0 ? 200 : 9));
    left = std::max<std::int64_t>(left / size, 1);
  }
  if (shape.size() > 1)
    std::swap(
        shape.front(),
        shape[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(shape.size())))]);
  return shape;
}

}  // namespace tutorial::test
