# SPDX-License-Identifier: Apache-2.0
"""A model with warm-up and measured iterations, marked by signposts. Run it with
    python -m tracy -p -r inference.py
"""
import ttnn
from tracy import signpost, Profiler


def run_model_with_profiling(mesh_device, model, inputs, num_warmup=5, num_iterations=100):
    profiler = Profiler()

    # Warmup phase
    signpost("Warmup Phase Start", f"Running {num_warmup} warmup iterations")
    for i in range(num_warmup):
        _ = model(inputs)
    ttnn.synchronize_device(mesh_device)
    signpost("Warmup Phase End")

    # Measurement phase with detailed profiling
    signpost("Measurement Phase Start", f"Running {num_iterations} measured iterations")
    profiler.enable()

    for i in range(num_iterations):
        if i % 10 == 0:
            signpost(f"Iteration {i}")
        result = model(inputs)

    ttnn.synchronize_device(mesh_device)
    profiler.disable()
    signpost("Measurement Phase End")

    # Read profiler data
    ttnn.ReadDeviceProfiler(mesh_device)

    return result


def main():
    device = ttnn.open_device(device_id=0)
    inputs = ttnn.from_torch([[float(r + c) for c in range(32)] for r in range(32)], dtype=ttnn.bfloat16,
                             layout=ttnn.TILE_LAYOUT, device=device)

    result = run_model_with_profiling(device, lambda x: ttnn.relu(ttnn.add(x, x)), inputs, 2, 20)
    print(result.shape)
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
