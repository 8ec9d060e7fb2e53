// promise_violations(): what every launcher promises, tried.

#include "common/proof/promises.h"
#include "common/proof/seed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tutorial::test {

namespace {

std::string name_of(cudaError_t error) { return cudaGetErrorName(error); }

/// Tries one launcher; each member function below is one promise.
class PromiseTrial {
 public:
  explicit PromiseTrial(const Promises& promises)
      : promises_(promises), sizes_again_(promises.sizes) {
    // The largest size is for what counts elements and blocks, which has been tried once then. The
    // executor takes most of a promise's time for it; this one still has many blocks.
    constexpr std::int64_t many_blocks = (1 << 16) + 3;
    if (!on_gpu) sizes_again_.back() = std::min(sizes_again_.back(), many_blocks);
  }

  std::vector<Complaint> run() {
    try {
      every_size();
      every_offset();
      off_the_element();
      in_place();
      same_bits();
      refuses_bad_arguments();
      other_stream();
      // What breaks a promise above may also read past its input, and a sanitizer would end the
      // process there; so this comes last, and only for a rung that has kept the others.
      if (violations_.empty()) no_read_past_the_end();
    } catch (const std::runtime_error& failure) {  // a kernel that crashed takes the device with it
      violations_.push_back({"exception", failure.what(), {}});
    }
    return violations_;
  }

 private:
  using Inputs = std::vector<GuardedBytes>;
  using Offsets = std::vector<std::size_t>;  // in bytes, of each input

  // ---- The promises ----

  void every_size() {
    for (const std::int64_t n : promises_.sizes) one_size(n, at_size(n));
    Sizes sizes;
    const std::int64_t drawn = sizes.draw(1, sizes_again_.back());
    one_size(drawn, at_size(drawn) + sizes.again());
    if (!promises_.judge_same_inputs) return;
    for (const std::int64_t n : sizes_again_) same_inputs(n);
  }

  void one_size(std::int64_t n, const std::string& trial) {
    const Inputs inputs = uploaded(n);
    const GuardedBytes output(promises_.out_bytes(n), 0);
    launch(trial, addresses(inputs), output.data(), n);
    const auto judge = [&](const unsigned char* bytes, std::int64_t) {
      return looked_at_again(promises_.judge(bytes, n), inputs, bytes, n);
    };
    check_output(trial, output, n, judge);
    check_inputs(trial, inputs, n);
  }

  /// An element that holds the ones that the output starts with, or NaN, may not have been written,
  /// or be made of what stood there, or of other memory that nobody wrote: a launch over an output
  /// that starts otherwise tells which.
  Complaint looked_at_again(Complaint wrong, const Inputs& inputs, const unsigned char* first,
                            std::int64_t n) {
    const bool is_nan =
        std::isnan(wrong.number("actual", 0)) && !std::isnan(wrong.number("expected", 0));
    if (wrong.kind != "unwritten" && !is_nan) return wrong;
    constexpr unsigned char filling = 0xBF;  // about -1.5 in all floating-point types
    const std::vector<unsigned char> was(promises_.out_bytes(n), filling);
    std::vector<unsigned char> now(was.size());
    GuardedBytes output(was.size(), 0);
    output.upload(was.data());
    static_cast<void>(promises_.launch(addresses(inputs), output.data(), n, nullptr));
    output.download(now.data());
    const std::size_t width = promises_.out_element_bytes;
    const std::size_t at = static_cast<std::size_t>(wrong.number("index", 0)) * width;
    const auto same = [&](const unsigned char* bytes) {
      return std::equal(bytes + at, bytes + at + width,
                        now.begin() + static_cast<std::int64_t>(at));
    };
    if (same(was.data())) return wrong;
    const std::string element = "y[" + std::to_string(at / width) + "]";
    if (!same(first)) {
      wrong.kind = "reads_output";
      wrong.sentence = element + " depends on what stood there before";
    } else if (wrong.kind == "unwritten") {
      wrong.kind = width == 1 ? "mask" : "unset";
      if (width > 1) wrong.sentence = element + " is what memory holds that nobody wrote";
    }
    if (wrong.kind != "value") not_computed_ = wrong;
    return wrong;
  }

  /// One array as every input, and then as the output too.
  void same_inputs(std::int64_t n) {
    const std::string trial = "one array as every input, " + at_size(n);
    const GuardedBytes input = uploaded(0, n, 0);
    const GuardedBytes output(promises_.out_bytes(n), 0);
    const std::vector<const void*> all(promises_.inputs.size(), input.data());
    launch(trial, all, output.data(), n);
    check_output(trial, output, n, promises_.judge_same_inputs);
    if (!promises_.inputs[0].in_place) return;
    in_place_ = true;
    const std::string over = "in place of every input, " + at_size(n);
    launch(over, all, input.data(), n);
    check_output(over, input, n, promises_.judge_same_inputs);
    in_place_ = false;
  }

  /// Each input in turn, and all of them, against the output.
  void every_offset() {
    for (std::size_t input = 0; input < promises_.inputs.size(); ++input) {
      const InputArray& moved = promises_.inputs[input];
      for (const auto& [in, out] : pairs(reach(moved), moved.element_bytes)) {
        Offsets offsets(promises_.inputs.size());
        offsets[input] = in;
        offset(moved.name + " " + std::to_string(in / moved.element_bytes), offsets, out);
      }
    }
    if (promises_.inputs.size() > 1) all_offset();
  }

  void all_offset() {
    std::size_t most = 0, step = 1;
    std::string names;
    for (const InputArray& input : promises_.inputs) {
      most = std::max(most, reach(input));
      step = std::max(step, input.element_bytes);
      names += (names.empty() ? "" : ", ") + input.name;
    }
    for (const auto& [in, out] : pairs(most, step)) {
      Offsets offsets;
      for (const InputArray& input : promises_.inputs) {
        offsets.push_back(in / step * input.element_bytes);
      }
      offset(names + " " + std::to_string(in / step), offsets, out);
    }
  }

  /// Offsets of inputs, whole `step`s below `most`, and of the output: every pair where there are
  /// few, else one of them at a time, and both by as many elements.
  std::vector<std::pair<std::size_t, std::size_t>> pairs(std::size_t most, std::size_t step) const {
    constexpr std::size_t few = 64;
    const std::size_t most_out = std::max<std::size_t>(16, promises_.out_alignment);
    const std::size_t out_step = promises_.out_element_bytes;
    const std::size_t in_count = most / step, out_count = most_out / out_step;
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (std::size_t in = 0; in < in_count; ++in) {
      for (std::size_t out = 0; out < out_count; ++out) {
        const bool is_tried = in * out == 0 || in == out || in_count * out_count <= few;
        if (is_tried) all.push_back({in * step, out * out_step});
      }
    }
    return all;
  }

  void offset(const std::string& moved, const Offsets& offsets, std::size_t out) {
    const std::int64_t n = promises_.any_size;
    const std::string trial = moved + " and y " +
                              std::to_string(out / promises_.out_element_bytes) +
                              " elements off alignment";
    bool aligned = out % promises_.out_alignment == 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      aligned = aligned && offsets[i] % promises_.inputs[i].alignment == 0;
    }
    const Inputs inputs = uploaded(n, offsets);
    const GuardedBytes output(promises_.out_bytes(n), out);
    if (!aligned) {
      misaligned(trial, inputs, output);
      return;
    }
    launch(trial, addresses(inputs), output.data(), n);
    check_output(trial, output, n, promises_.judge);
  }

  /// A pointer that is not even aligned to its element.
  void off_the_element() {
    const std::int64_t n = promises_.any_size;
    const std::size_t bytes = promises_.out_bytes(n);
    for (std::size_t i = 0; i < promises_.inputs.size(); ++i) {
      if (promises_.inputs[i].element_bytes == 1) continue;
      Offsets offsets(promises_.inputs.size());
      offsets[i] = 1;
      misaligned(promises_.inputs[i].name + " one byte off", uploaded(n, offsets), {bytes, 0});
    }
    if (promises_.out_element_bytes > 1) misaligned("y one byte off", uploaded(n), {bytes, 1});
  }

  void misaligned(const std::string& trial, const Inputs& inputs, const GuardedBytes& output) {
    answers(trial, cudaErrorMisalignedAddress, addresses(inputs), output.data(),
            promises_.any_size);
    check_untouched(trial, output);
  }

  void in_place() {
    in_place_ = true;
    for (std::size_t i = 0; i < promises_.inputs.size(); ++i) {
      if (!promises_.inputs[i].in_place) continue;
      const bool is_only = promises_.inputs.size() == 1;
      for (const std::int64_t n : sizes_again_) {
        const std::string trial = std::string("in place") +
                                  (is_only ? "" : " of " + promises_.inputs[i].name) + ", " +
                                  at_size(n);
        const Inputs inputs = uploaded(n);
        launch(trial, addresses(inputs), inputs[i].data(), n);
        check_output(trial, inputs[i], n, promises_.judge);
      }
    }
    in_place_ = false;
  }

  /// The result of an element depends on its operands alone: parts of the arrays, wherever they begin
  /// and end and whatever their alignment is, give the bits that the whole gave.
  void same_bits() {
    const std::int64_t whole = sizes_again_.back();
    const std::size_t width = promises_.out_element_bytes;
    const bool is_elementwise =
        promises_.row_elements == 1 &&
        promises_.out_bytes(whole) == static_cast<std::size_t>(whole) * width;
    if (!is_elementwise) return;
    std::vector<unsigned char> right(promises_.out_bytes(whole));
    {
      const Inputs inputs = uploaded(whole);
      const GuardedBytes output(right.size(), 0);
      launch("n = " + std::to_string(whole), addresses(inputs), output.data(), whole);
      output.download(right.data());
    }
    for (const std::int64_t first : {0, 1, 7, 130, 1001}) {
      for (const std::int64_t n : {1, 5, 64, 1031}) {
        for (const unsigned shifted : {0u, 1u, 2u, 3u}) {  // the inputs, the output, both
          if (first + n <= whole) part(first, n, shifted % 2, shifted / 2, right);
        }
      }
    }
  }

  /// Elements [first, first + n) alone, in arrays that begin so many times their alignment past 256 bytes.
  void part(std::int64_t first, std::int64_t n, std::size_t in, std::size_t out,
            const std::vector<unsigned char>& right) {
    const std::string trial = "elements " + std::to_string(first) + " to " +
                              std::to_string(first + n - 1) + " alone, inputs " +
                              (in > 0 ? "off" : "on") + " and output " + (out > 0 ? "off" : "on") +
                              " a boundary of 256 bytes";
    Inputs inputs;
    for (const InputArray& input : promises_.inputs) {
      inputs.emplace_back(bytes_of(input, n), in * input.alignment);
      inputs.back().upload(input.values.data() + bytes_of(input, first));
    }
    const std::size_t width = promises_.out_element_bytes;
    const GuardedBytes output(promises_.out_bytes(n), out * promises_.out_alignment);
    launch(trial, addresses(inputs), output.data(), n);
    std::vector<unsigned char> bytes(output.size());
    output.download(bytes.data());
    const auto begin = right.begin() + first * static_cast<std::int64_t>(width);
    const auto differ = std::mismatch(bytes.begin(), bytes.end(), begin).first;
    if (differ == bytes.end()) return;
    const auto at = static_cast<std::size_t>(differ - bytes.begin()) / width;
    violate(trial,
            {"bits", "element " + std::to_string(at) + " has other bits than in the whole", {}});
  }

  void refuses_bad_arguments() {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const std::int64_t n = promises_.any_size;
    const Inputs inputs = uploaded(n);
    const GuardedBytes output(promises_.out_bytes(n), 0);
    const std::vector<const void*> given = addresses(inputs), none(inputs.size(), nullptr);
    launch("n = 0 with null pointers", none, nullptr, 0);
    answers("n = -1", cudaErrorInvalidValue, given, output.data(), -1);
    answers("n = -2^63", cudaErrorInvalidValue, given, output.data(), least);
    answers("n = -1 with null pointers", cudaErrorInvalidValue, none, nullptr, -1);
    answers("n = -2^63 with null pointers", cudaErrorInvalidValue, none, nullptr, least);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::vector<const void*> without = given;
      without[i] = nullptr;
      answers("null " + promises_.inputs[i].name, cudaErrorInvalidValue, without, output.data(), n);
    }
    answers("null y", cudaErrorInvalidValue, given, nullptr, n);
    check_untouched("null pointers and negative n", output);
  }

  void other_stream() {
    const std::int64_t n = promises_.any_size;
    const Stream stream;
    const Inputs inputs = uploaded(n);
    const GuardedBytes output(promises_.out_bytes(n), 0);
    const std::string trial = "on a stream of its own";
    expect(trial, cudaSuccess, promises_.launch(addresses(inputs), output.data(), n, stream.get()));
    stream.synchronize();
    check_output(trial, output, n, promises_.judge);
    captured(stream);
  }

  /// Work that goes to a capturing stream becomes a node of its graph, and waiting, allocating and
  /// freeing are errors meanwhile: so a capture shows whether the launcher uses the stream and only
  /// enqueues. The inputs get their values afterwards, so that a kernel of another stream has
  /// computed from others; and the graph's launch shows whether what the work needs is still there.
  void captured(const Stream& stream) {
    const std::int64_t n = promises_.any_size;
    Inputs inputs;
    for (const InputArray& input : promises_.inputs) inputs.emplace_back(bytes_of(input, n), 0);
    const GuardedBytes output(promises_.out_bytes(n), 0);
    const std::string trial = "on a capturing stream";
    require_success(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
                    "cudaStreamBeginCapture");
    try {
      expect(trial, cudaSuccess,
             promises_.launch(addresses(inputs), output.data(), n, stream.get()));
    } catch (const std::runtime_error& failure) {  // the capture must end all the same
      violate(trial, {"exception", failure.what(), {}});
    }
    cudaGraph_t graph = nullptr;
    expect(trial + " (does the launcher synchronise, or allocate?)", cudaSuccess,
           cudaStreamEndCapture(stream.get(), &graph));
    static_cast<void>(cudaGetLastError());  // a capture that failed leaves its error behind
    std::size_t nodes = 0;
    if (graph != nullptr) {
      require_success(cudaGraphGetNodes(graph, nullptr, &nodes), "cudaGraphGetNodes");
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        inputs[i].upload(promises_.inputs[i].values.data());
      }
      if (nodes > 0) replayed(graph, output, stream);
      cudaGraphDestroy(graph);
    }
    if (nodes == 0) violate(trial, {"stream", "the launch did not go to the stream", {}});
  }

  void replayed(cudaGraph_t graph, const GuardedBytes& output, const Stream& stream) {
    cudaGraphExec_t exec = nullptr;
    require_success(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
    require_success(cudaGraphLaunch(exec, stream.get()), "cudaGraphLaunch");
    stream.synchronize();
    cudaGraphExecDestroy(exec);
    check_output("of a captured graph", output, promises_.any_size, promises_.judge);
  }

  /// Inputs and output end where their allocations end; AddressSanitizer or compute-sanitizer watch.
  void no_read_past_the_end() {
    for (const std::int64_t n : sizes_again_) {
      std::vector<DeviceBytes> inputs;
      std::vector<const void*> pointers;
      for (const InputArray& input : promises_.inputs) {
        inputs.emplace_back(bytes_of(input, n));
        require_success(cudaMemcpy(inputs.back().data(), input.values.data(), inputs.back().size(),
                                   cudaMemcpyHostToDevice),
                        "cudaMemcpy");
        pointers.push_back(inputs.back().data());
      }
      const DeviceBytes output(promises_.out_bytes(n));
      launch("exact allocations, " + at_size(n), pointers, output.data(), n);
    }
  }

  // ---- What they are made of ----

  std::string at_size(std::int64_t n) const {
    return promises_.size_name + " = " + std::to_string(n);
  }

  std::size_t bytes_of(const InputArray& input, std::int64_t n) const {
    return static_cast<std::size_t>(n * promises_.row_elements * input.per_n) * input.element_bytes;
  }

  static std::size_t reach(const InputArray& input) {
    return std::max<std::size_t>(16, input.alignment);
  }

  GuardedBytes uploaded(std::size_t input, std::int64_t n, std::size_t offset) const {
    GuardedBytes memory(bytes_of(promises_.inputs[input], n), offset);
    memory.upload(promises_.inputs[input].values.data());
    return memory;
  }
  Inputs uploaded(std::int64_t n, const Offsets& offsets) const {
    Inputs inputs;
    for (std::size_t i = 0; i < offsets.size(); ++i) inputs.push_back(uploaded(i, n, offsets[i]));
    return inputs;
  }
  Inputs uploaded(std::int64_t n) const { return uploaded(n, Offsets(promises_.inputs.size())); }

  static std::vector<const void*> addresses(const Inputs& inputs) {
    std::vector<const void*> pointers;
    for (const GuardedBytes& input : inputs) pointers.push_back(input.data());
    return pointers;
  }

  void launch(const std::string& trial, const std::vector<const void*>& inputs, void* output,
              std::int64_t n) {
    answers(trial, cudaSuccess, inputs, output, n);
  }

  void answers(const std::string& trial, cudaError_t expected,
               const std::vector<const void*>& inputs, void* output, std::int64_t n) {
    expect(trial, expected, promises_.launch(inputs, output, n, nullptr));
    require_success(cudaDeviceSynchronize(), trial.c_str());
  }

  void expect(const std::string& trial, cudaError_t expected, cudaError_t actual) {
    if (actual == expected) return;
    violate(trial, {"answer",
                    "the launcher answers " + name_of(actual) + ", expected " + name_of(expected),
                    {{"expected", static_cast<double>(expected)},
                     {"actual", static_cast<double>(actual)}}});
  }

  void check_output(const std::string& trial, const GuardedBytes& output, std::int64_t n,
                    const Promises::Judge& judge) {
    std::vector<unsigned char> bytes(output.size());
    output.download(bytes.data());
    Complaint wrong = judge(bytes.data(), n);
    if (wrong.kind == "unwritten" && !not_computed_.kind.empty()) {
      wrong.kind = not_computed_.kind;
      wrong.sentence = not_computed_.sentence;
    }
    const std::string damage = output.damage();
    if (!wrong.empty()) violate(trial, wrong);
    if (!damage.empty()) violate(trial, {"outside", "the output was " + damage, {}});
  }

  void check_inputs(const std::string& trial, const Inputs& inputs, std::int64_t n) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::string subject =
          inputs.size() == 1 ? "the input" : "the input " + promises_.inputs[i].name;
      const std::string damage = inputs[i].damage();
      if (!damage.empty()) violate(trial, {"input", subject.append(" was ").append(damage), {}});
      std::vector<unsigned char> now(bytes_of(promises_.inputs[i], n));
      inputs[i].download(now.data());
      if (!std::equal(now.begin(), now.end(), promises_.inputs[i].values.begin())) {
        violate(trial, {"input", subject + " was written to", {}});
      }
    }
  }

  void check_untouched(const std::string& trial, const GuardedBytes& output) {
    if (!output.untouched() || !output.damage().empty()) {
      violate(trial, {"not_refused", "the output was written to all the same", {}});
    }
  }

  void violate(const std::string& trial, Complaint what) {
    what.sentence = trial + ": " + what.sentence;
    what.numbers.emplace_back("in_place", in_place_ ? 1 : 0);
    violations_.push_back(std::move(what));
  }

  const Promises& promises_;
  std::vector<std::int64_t> sizes_again_;
  std::vector<Complaint> violations_;
  bool in_place_ = false;   // of what is tried now
  Complaint not_computed_;  // what an element that looks unwritten has turned out to be
};

}  // namespace

Complaint not_written(std::int64_t index, const std::string& element) {
  return {"unwritten",
          element + "[" + std::to_string(index) + "] was not written",
          {{"index", static_cast<double>(index)}}};
}

std::vector<Complaint> promise_violations(const Promises& promises) {
  return PromiseTrial(promises).run();
}

}  // namespace tutorial::test
