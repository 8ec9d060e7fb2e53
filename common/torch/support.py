"""The base of the chapters' test_torch.py: devices, layouts, and the promises that every
operator keeps (README.md)."""

import itertools
import sys
import unittest

import elementwise_tutorial
import runs
import timing

torch = None  # set by run(), so that a missing PyTorch is one line and not a traceback

SHAPES = [(), (0,), (1,), (3, 0, 5), (7,), (1027,), (5, 6, 7), (2, 3, 4, 5)]
SPECIAL = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e-4, -1e-4, -5.0, -20.0,
           5.0, 100.0, -100.0, 60000.0, -60000.0, 6e-8, -6e-8]


def floats():
    return [torch.float32, torch.float16, torch.bfloat16]


def sample(shape, dtype, device, seed=0):
    """Normal values, or whole numbers from -50 to 49 for integers, or truth values."""
    generator = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool().to(device)
    if dtype.is_floating_point:
        return (torch.randn(shape, generator=generator) * 2).to(dtype).to(device)
    return torch.randint(-50, 50, shape, generator=generator).to(dtype).to(device)


def layouts(dtype, device):
    """(name, tensor) for every memory layout of a tensor."""
    base = sample((8, 6, 10), dtype, device)
    image = sample((2, 3, 4, 5), dtype, device)
    yield from ((str(shape), sample(shape, dtype, device)) for shape in SHAPES)
    yield "transposed", base.transpose(0, 2)
    yield "a transposed matrix", sample((70, 72), dtype, device).t()
    yield "parts of rows", sample((9, 114), dtype, device)[:, 57:]
    yield "nine dimensions", base.reshape(2, 2, 2, 3, 2, 5, 1, 1, 2).transpose(0, 8)
    yield "every second", base[::2, 1:, ::3]
    yield "from the second element on", base.flatten()[1:]
    yield "expanded", base[:1].expand(8, 6, 10)
    yield "expanded scalar", base[0, 0, 0].expand(4, 4)
    yield "channels last", image.to(memory_format=torch.channels_last)
    yield "special values", torch.tensor(SPECIAL, device=device).to(dtype)


class BindingTest(unittest.TestCase):
    """Loads the chapter named by the class, and those in `also`; self.devices are those that it is built for."""

    chapter, also = None, ()
    now = ()

    @classmethod
    def setUpClass(cls):
        cls.ops = elementwise_tutorial.load(cls.chapter, *cls.also)
        cls.devices = [backend for backend in ("cpu", "cuda")
                       if (cls.chapter, backend) in elementwise_tutorial.LOADED]
        cls.bound = elementwise_tutorial.bound(cls.chapter)

    def each(self, *more):
        """(device, dtype, ...), every combination; a failure names its combination."""
        for self.now in itertools.product(self.devices, floats(), *more):
            yield self.now
        self.now = ()

    def operands(self, shapes, dtype, device):
        return [sample(shape, dtype, device, seed) for seed, shape in enumerate(shapes)]

    def compiled(self, function):
        """(device, dtype, function as torch.compile makes it), for sizes that are numbers and for such that are symbols."""
        self.needs(hasattr(torch, "compile"), "torch.compile (PyTorch 2.0 or newer)")
        for device, dtype, dynamic in self.each((False, True)):
            torch._dynamo.reset()
            yield device, dtype, torch.compile(function, fullgraph=True, dynamic=dynamic)

    def close(self, actual, wanted, what="", **tolerance):
        """Equal up to PyTorch's own tolerance for the type, NaN where NaN is; same shape and type."""
        torch.testing.assert_close(actual, wanted, equal_nan=True, **tolerance,
                                   msg=lambda text: f"{what} {self.now}: {text}")

    def refuses(self, words, call, *arguments, error=RuntimeError, **named):
        with self.assertRaisesRegex(error, words):
            call(*arguments, **named)

    def needs(self, condition, what):
        if not condition:
            self.skipTest(f"needs {what}")


class UnaryPromises:
    """The promises of an operator with one floating-point tensor. To be mixed with a BindingTest:

    operator     its name
    reference    reference(x): the same by PyTorch, in float32
    vanishes     whether it is 0 at minus infinity, where PyTorch's formula multiplies by zero, and loses the tail
    """

    operator = None
    vanishes = False

    def op(self):
        return getattr(self.ops, self.operator)

    @staticmethod
    def reference(x):
        raise NotImplementedError

    def wanted(self, x):
        if not self.vanishes:
            return self.reference(x.float()).to(x.dtype)
        return self.reference(x.double()).to(x.dtype).masked_fill(x == float("-inf"), -0.0)

    def test_layouts_shapes_and_special_values(self):
        for device, dtype in self.each():
            for name, x in layouts(dtype, device):
                y = self.op()(x)
                self.assertTrue(y.is_contiguous(), name)
                self.close(y, self.wanted(x).contiguous(), f"{name} of {dtype} on {device}")

    def test_out(self):
        for device, dtype in self.each():
            for name, x in layouts(dtype, device):
                out = torch.full_like(x.contiguous(), 7)
                returned = self.op().out(x, out=out)
                self.assertEqual(returned.data_ptr(), out.data_ptr())
                self.close(out, self.op()(x), name, rtol=0, atol=0)

    def test_in_place_and_strided_results(self):
        for device, dtype in self.each():
            x = sample((9, 7), dtype, device)
            wanted = self.op()(x)
            strided = torch.zeros(7, 18, dtype=dtype, device=device)[:, ::2].t()
            self.op().out(x, out=strided)
            self.close(strided.contiguous(), wanted, rtol=0, atol=0)
            self.op().out(x, out=x)
            self.close(x, wanted, rtol=0, atol=0)
            rows = sample((9, 20), dtype, device)
            wanted, beside = self.op()(rows[:, 3:10]), rows[:, 10:].clone()
            self.op().out(rows[:, 3:10], out=rows[:, 3:10])
            self.close(rows[:, 3:10].contiguous(), wanted, rtol=0, atol=0)
            self.close(rows[:, 10:].contiguous(), beside, rtol=0, atol=0)

    def test_a_result_among_what_is_read(self):
        """The result shares memory with the input, and lies otherwise: it is computed beside it."""
        for device, dtype in self.each():
            rows = sample((9, 20), dtype, device)
            wanted = self.op()(rows[:, :10].clone())
            self.op().out(rows[:, :10], out=rows[:, 1:11])
            self.close(rows[:, 1:11].contiguous(), wanted, rtol=0, atol=0)
            square = sample((20, 20), dtype, device)
            self.refuses("single memory location", self.op().out, square, out=square.t())
            line = sample((2000,), dtype, device)
            wanted = self.op()(line[::2].clone())
            self.op().out(line[::2], out=line[1000:])
            self.close(line[1000:], wanted, rtol=0, atol=0)

    def test_refusals(self):
        op = self.op()
        for device in self.devices:
            x = sample((16,), torch.float32, device)
            for wrong in (torch.float64, torch.int32, torch.bool):
                self.refuses(f"{self.operator}: takes float32, float16 or bfloat16 tensors, not ", op,
                             x.to(wrong), error=TypeError)
            self.refuses(r"out= has the sizes \[15\], and the result has \[16\]", op.out, x, out=x[1:])
            self.refuses("out= must be a tensor of Float, not of Half", op.out, x, out=x.half())
            self.refuses("overlap|single memory location", op.out, x[1:], out=x[:-1])
            self.refuses("single memory location|internal overlap", op.out, x,
                         out=x[:1].clone().expand(16))
            self.refuses("computes no gradients", op.out, x.clone().requires_grad_(), out=x)
            with torch.no_grad():
                op(x.clone().requires_grad_())

    def test_tensors_without_data(self):
        x = torch.empty(3, 4, 5, device="meta", dtype=torch.half).transpose(0, 1)
        y = self.op()(x)
        self.assertEqual((y.device.type, y.shape, y.dtype), ("meta", x.shape, x.dtype))
        self.refuses("takes float32", self.op(), torch.empty(3, device="meta", dtype=torch.long),
                     error=TypeError)

    def test_torch_compile(self):
        for device, dtype, function in self.compiled(lambda x: self.op()(x * 2) + 1):
            for shape in ((4, 8), (6, 10)):
                x = sample(shape, dtype, device)
                self.close(function(x), self.op()(x * 2) + 1)

    def test_opcheck(self):
        self.needs(hasattr(torch.library, "opcheck"), "torch.library.opcheck (PyTorch 2.4 or newer)")
        for device, dtype in self.each():
            torch.library.opcheck(self.op().default, (sample((4, 8), dtype, device),),
                                  test_utils=("test_schema", "test_faketensor"))

    def test_current_stream(self):
        self.needs("cuda" in self.devices, "a CUDA GPU")
        x = torch.zeros(1 << 20, device="cuda")
        wanted = self.wanted(torch.full_like(x, 3.0))
        side = torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(200_000_000)  # on any other stream x would be read before it is filled
            x.fill_(3.0)
            y = self.op()(x)
        side.synchronize()
        self.close(y, wanted)

    def test_second_gpu(self):
        self.needs("cuda" in self.devices and torch.cuda.device_count() > 1, "two CUDA GPUs")
        x = sample((1027,), torch.float32, "cuda:1")
        with torch.cuda.device(0):
            y = self.op()(x)
            self.assertEqual(torch.cuda.current_device(), 0)
        self.assertEqual(y.device, x.device)
        self.close(y, self.wanted(x))
        self.close(self.op()(x.to("cuda:0")), self.wanted(x.to("cuda:0")))
        self.refuses("out= is on cuda:0 and the inputs are on cuda:1", self.op().out, x,
                     out=torch.empty(1027, device="cuda:0"))

    def test_captured_graph(self):
        self.needs("cuda" in self.devices, "a CUDA GPU")
        x = sample((4096,), torch.float16, "cuda")
        y = torch.zeros_like(x)
        self.op().out(x, out=y)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.op().out(x, out=y)
        x.copy_(sample((4096,), torch.float16, "cuda", seed=1))
        graph.replay()
        torch.cuda.synchronize()
        self.close(y, self.wanted(x))


class RungPromises:
    """What holds for every rung of a ladder of one-input kernels."""

    rung_ladder = None

    @staticmethod
    def reference(x):
        raise NotImplementedError

    def rungs(self):
        return [one for one in self.bound if one.rung and one.ladder == self.rung_ladder]

    def rung_reference(self, one, x):  # pylint: disable=unused-argument
        return self.reference(x)

    def test_rungs(self):
        self.assertTrue(self.rungs())
        for device in self.devices:
            for one in self.rungs():
                with self.subTest(device=device, rung=one.name):
                    op, dtype = getattr(self.ops, one.name), timing.dtypes(torch)[one.dtype]
                    for shape in SHAPES:
                        x = sample(shape, dtype, device)
                        wanted = self.rung_reference(one, x.float())
                        self.close(op(x).float(), wanted, rtol=2e-2, atol=2e-2)
                        out = torch.empty_like(x)
                        op.out(x, out=out)
                        self.close(out, op(x), rtol=0, atol=0)
                    self.refuses(f"{one.name}: takes b?float", op, x.double(), error=TypeError)
                    self.check_alignment(one, op, sample((1027,), dtype, device))

    def check_alignment(self, one, op, x):
        """A rung takes a tensor one element past an allocation's beginning, or refuses it clearly."""
        try:
            y = op(x[1:])
        except RuntimeError as error:
            self.assertRegex(str(error), "needs an input that begins at a multiple of (4|8|16) bytes")
        else:
            self.close(y.float(), self.rung_reference(one, x[1:].float()), rtol=2e-2, atol=2e-2)


def run():
    """Runs the file's tests: python3 01_elu/proof/peers/test_torch.py [-v]."""
    def main():
        globals()["torch"] = elementwise_tutorial.find_torch()
        torch.set_num_threads(1)  # PyTorch's idle threads and the executor's would fight for the cores
        print(f"PyTorch {torch.__version__}, {torch.cuda.device_count()} CUDA GPUs", file=sys.stderr)
        return not unittest.main(exit=False).result.wasSuccessful()
    runs.run_tool(main)
