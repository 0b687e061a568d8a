# SPDX-License-Identifier: Apache-2.0
"""The structs that ttnn/_library.py declares for ctypes are those of src/nn: same fields, same places."""
import ctypes
import os
import subprocess
import unittest

from ttnn import _library

SOURCE = os.environ["SOURCE"]
STRUCTS = {
    "tacho_core": _library.Core,
    "nn_shards": _library.Shards,
    "nn_tensor": _library.NnTensor,
    "nn_job": _library.Job,
    "nn_step": _library.Step,
    "nn_eltwise": _library.Eltwise,
    "nn_product": _library.Product,
    "nn_source": _library.Source,
    "nn_form": _library.Form,
    "nn_gather": _library.Gather,
    "nn_reduce": _library.Reduce,
    "nn_softmax": _library.Softmax,
    "nn_norm": _library.Norm,
    "nn_heads": _library.Heads,
    "nn_attention": _library.Attention,
    "nn_cache": _library.Cache,
    "nn_top": _library.Top,
    "nn_random": _library.Random,
    "nn_accumulate": _library.Accumulate,
    "nn_blocks": _library.Blocks,
}


def claims(name, declared):
    """C that compiles if struct NAME has the layout of the ctypes class."""
    fields = [field[0] for field in declared._fields_]
    for field in fields:
        place, member = getattr(declared, field), field.rstrip("_")  # a word of Python gets a "_"
        yield f"offsetof(struct {name}, {member}) == {place.offset}", f"{name}.{member} is elsewhere"
        yield f"sizeof(((struct {name} *)0)->{member}) == {place.size}", f"{name}.{member} has another size"
    yield f"sizeof(struct {name}) == {ctypes.sizeof(declared)}", f"{name} has another size"


def compiler(text):
    return subprocess.run(
        ["cc", "-std=gnu17", "-fsyntax-only", "-x", "c", "-I", os.path.join(SOURCE, "include"), "-I", os.path.join(SOURCE, "src"), "-"],
        input=text, capture_output=True, text=True, check=False)


def source(structs):
    lines = [f'#include "{SOURCE}/python/ttnn/_ttnn.c"', "#include <stddef.h>"]
    for name, declared in structs.items():
        lines += [f'_Static_assert({condition}, "{why}");' for condition, why in claims(name, declared)]
    return "\n".join(lines)


class Layout(unittest.TestCase):
    def test_same(self):
        result = compiler(source(STRUCTS))
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_every_struct(self):
        declared = {c for c in vars(_library).values()
                    if isinstance(c, type) and issubclass(c, ctypes.Structure) and c is not ctypes.Structure}
        self.assertEqual(declared, set(STRUCTS.values()))

    def test_difference_is_found(self):
        class Wrong(ctypes.Structure):
            _fields_ = [("scale", ctypes.c_float), ("dim", ctypes.c_uint32), ("kind", ctypes.c_uint64)]

        errors = compiler(source({"nn_reduce": Wrong})).stderr
        for text in ("nn_reduce.scale is elsewhere", "nn_reduce.kind has another size", "nn_reduce has another size"):
            self.assertIn(text, errors)


if __name__ == "__main__":
    unittest.main()
