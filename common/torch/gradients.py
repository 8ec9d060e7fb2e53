"""What every operator that has a gradient promises of it. To be mixed with a support.BindingTest."""

import support


class GradientPromises:
    """gradients() lists the cases: (the operator, ours(*x), PyTorch's(*x), how many tensors x has)."""

    def gradients(self):
        raise NotImplementedError

    def leaves(self, count, dtype, device, shape=(13, 21)):
        return [support.sample(shape, dtype, device, seed).requires_grad_() for seed in range(count)]

    def double_gradients(self, theirs, leaves, dy):
        """PyTorch's, in double, rounded to the tensors' type once."""
        doubles = [x.detach().double().requires_grad_() for x in leaves]
        found = support.torch.autograd.grad(theirs(*doubles), doubles, dy.double())
        return [one.to(dy.dtype) for one in found]

    def each_gradient(self):
        """(the operator, ours, PyTorch's, new leaves) of all cases, devices and types."""
        for device, dtype in self.each():
            for operator, ours, theirs, count in self.gradients():
                yield operator, ours, theirs, self.leaves(count, dtype, device)

    def test_gradients_against_double(self):
        torch = support.torch
        for device, dtype in self.each():
            for operator, ours, theirs, count in self.gradients():
                for name, like in support.layouts(dtype, device):
                    if name == "special values":
                        continue
                    leaves = [like.detach().clone().requires_grad_() for _ in range(count)]
                    y = ours(*leaves)
                    self.assertTrue(y.requires_grad and y.grad_fn is not None, operator)
                    dy = support.sample(y.shape, dtype, device, seed=9)
                    self.close(torch.autograd.grad(y, leaves, dy),
                               tuple(self.double_gradients(theirs, leaves, dy)), f"{operator}, {name}")

    def test_gradcheck(self):
        """Against differences of the operator itself, computed in float32: so eps is coarse."""
        torch = support.torch
        for device in self.devices:
            for operator, ours, _, count in self.gradients():
                x = [one.detach().double().requires_grad_()
                     for one in self.leaves(count, torch.float32, device, (4, 5))]
                with self.subTest(operator):
                    self.assertTrue(torch.autograd.gradcheck(
                        lambda *v, ours=ours: ours(*(one.float() for one in v)).double(), x,
                        eps=4e-3, atol=2e-3, rtol=2e-3, nondet_tol=0.0))

    def test_gradients_that_arrive_expanded_and_are_needed_for_one_tensor_alone(self):
        for _, ours, theirs, leaves in self.each_gradient():
            for x in leaves[1:]:
                x.requires_grad_(False)
            ours(*leaves).sum().backward()
            wanted = self.double_gradients(theirs, leaves, support.torch.ones_like(leaves[0]))
            self.close(leaves[0].grad, wanted[0])
            self.assertTrue(all(x.grad is None for x in leaves[1:]))

    def test_a_saved_tensor_that_was_written_to(self):
        for _, ours, _, leaves in self.each_gradient():
            for place in range(len(leaves)):
                inner = [x * 1 for x in leaves]
                y = ours(*inner)
                inner[place].add_(1)
                self.refuses("modified by an inplace operation", y.sum().backward)

    def test_a_result_that_was_given(self):
        for operator, _, _, leaves in self.each_gradient():
            self.refuses(f"{operator}: computes no gradients", getattr(self.ops, operator).out, *leaves,
                         out=support.torch.empty_like(leaves[0]))

    def test_a_second_derivative(self):
        for operator, ours, _, leaves in self.each_gradient():
            self.refuses(f"{operator}_backward: has no second derivative: call backward",
                         support.torch.autograd.grad, ours(*leaves).sum(), leaves, create_graph=True)

    def test_gradients_under_torch_compile(self):
        for operator, ours, theirs, count in self.gradients():
            for device, dtype, function in self.compiled(lambda *x, ours=ours: ours(*(one * 2 for one in x)) + 1):
                for shape in ((4, 8), (6, 10)):
                    leaves = self.leaves(count, dtype, device, shape)
                    dy = support.sample(shape, dtype, device, seed=9)
                    wanted = self.double_gradients(
                        lambda *x, theirs=theirs: theirs(*(one * 2 for one in x)), leaves, dy)
                    self.close(support.torch.autograd.grad(function(*leaves), leaves, dy), tuple(wanted), operator)

    def test_opcheck_with_gradients(self):
        torch = support.torch
        self.needs(hasattr(torch.library, "opcheck"), "torch.library.opcheck (PyTorch 2.4 or newer)")
        for operator, _, _, leaves in self.each_gradient():
            torch.library.opcheck(getattr(self.ops, operator).default, tuple(leaves))
            plain = [x.detach() for x in leaves]
            torch.library.opcheck(getattr(self.ops, f"{operator}_backward").default,
                                  (*plain, plain[0]), test_utils=("test_schema", "test_faketensor"))
