/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as specifications ("Metal 2.0"), and callbacks at the end of each run. */
#pragma once

#include <tacho/metalium/queue.hpp>

namespace tt::tt_metal::experimental
{

template <typename K, typename V> using Table = std::map<K, V>;
template <typename T> using Group = std::vector<T>;

using NodeCoord = CoreCoord;
using NodeRange = CoreRange;
using NodeRangeSet = CoreRangeSet;
using Nodes = std::variant<CoreCoord, CoreRange, CoreRangeSet>;

using KernelSpecName = tt::stl::StrongType<std::string, struct KernelSpecNameTag>;
using DFBSpecName = tt::stl::StrongType<std::string, struct DFBSpecNameTag>;
using SemaphoreSpecName = tt::stl::StrongType<std::string, struct SemaphoreSpecNameTag>;

struct SourceCode {
	std::string code;
};

struct DataMovementGen1Config {
	DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
	NOC noc = NOC::RISCV_0_default;
	NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
};
struct DataMovementGen2Config {
};
using DataMovementHardwareConfig = std::variant<DataMovementGen1Config, DataMovementGen2Config>;

enum class SfpuPrecisionMode { Precise, Approximate };
enum class BfpPackPrecisionMode { Approximate, Precise };
struct ComputeGen1Config {
	MathFidelity fpu_math_fidelity = MathFidelity::HiFi4;
	SfpuPrecisionMode sfpu_precision_mode = SfpuPrecisionMode::Precise;
	BfpPackPrecisionMode bfp_pack_precision_mode = BfpPackPrecisionMode::Approximate;
	bool enable_32_bit_dest = false;
	bool double_buffer_dest = true;
};
struct ComputeGen2Config {
};
using ComputeHardwareConfig = std::variant<ComputeGen1Config, ComputeGen2Config>;

enum class DFBEndpointType { PRODUCER, CONSUMER };
enum class DFBAccessPattern { STRIDED, BLOCKED, ALL };

struct KernelAdvancedOptions {
	uint32_t num_runtime_varargs = 0, num_common_runtime_varargs = 0;
};
struct KernelSpec {
	struct CompilerOptions {
		using Defines = Table<std::string, std::string>;
		std::vector<std::filesystem::path> include_paths{};
		Defines defines{};
		KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2;
	};
	struct DFBBinding {
		DFBSpecName dfb_spec_name{};
		std::string accessor_name{};
		DFBEndpointType endpoint_type = DFBEndpointType::PRODUCER;
		DFBAccessPattern access_pattern = DFBAccessPattern::STRIDED;
	};
	struct SemaphoreBinding {
		SemaphoreSpecName semaphore_spec_name{};
		std::string accessor_name{};
	};
	struct RuntimeArgSchema {
		Group<std::string> runtime_arg_names{};
		Group<std::string> common_runtime_arg_names{};
	};

	KernelSpecName unique_id{};
	std::variant<std::filesystem::path, SourceCode> source{};
	uint32_t num_threads = 1;
	CompilerOptions compiler_options{};
	Group<DFBBinding> dfb_bindings{};
	Group<SemaphoreBinding> semaphore_bindings{};
	Table<std::string, uint32_t> compile_time_args{};
	RuntimeArgSchema runtime_arg_schema{};
	std::variant<DataMovementHardwareConfig, ComputeHardwareConfig> hw_config{};
	KernelAdvancedOptions advanced_options{};
};

struct DataflowBufferSpec {
	DFBSpecName unique_id{};
	uint32_t entry_size = 0, num_entries = 0;
	std::optional<tt::DataFormat> data_format_metadata{};
};
struct SemaphoreSpec {
	SemaphoreSpecName unique_id{};
	Nodes target_nodes{};
};
struct WorkUnitSpec {
	std::string name{};
	Group<KernelSpecName> kernels{};
	Nodes target_nodes{};
};
struct ProgramSpec {
	std::string name{};
	Group<KernelSpec> kernels{};
	Group<DataflowBufferSpec> dataflow_buffers{};
	Group<SemaphoreSpec> semaphores{};
	Group<WorkUnitSpec> work_units{};
};

struct AdvancedKernelRunArgs {
	Table<NodeCoord, std::vector<uint32_t>> runtime_varargs{};
	std::vector<uint32_t> common_runtime_varargs{};
};
struct KernelRunArgs {
	KernelSpecName kernel{};
	Table<std::string, Table<NodeCoord, uint32_t>> runtime_arg_values{};
	Table<std::string, uint32_t> common_runtime_arg_values{};
	AdvancedKernelRunArgs advanced_options{};
};
struct ProgramRunArgs {
	Group<KernelRunArgs> kernel_run_args{};
};

} /* namespace tt::tt_metal::experimental */

namespace tacho_metalium
{

namespace spec = tt::tt_metal::experimental;

inline CoreRangeSet spec_cores(const spec::ProgramSpec &program, const spec::KernelSpecName &kernel)
{
	std::vector<CoreRange> ranges;

	for (const auto &unit : program.work_units) {
		const CoreRangeSet set = set_of(unit.target_nodes);

		if (std::find(unit.kernels.begin(), unit.kernels.end(), kernel) !=
		    unit.kernels.end())
			ranges.insert(ranges.end(), set.ranges().begin(), set.ranges().end());
	}
	TACHO_METALIUM_REQUIRE(!ranges.empty(), "kernel {} of {} is in no work unit", *kernel,
			       program.name);
	return CoreRangeSet(ranges);
}

inline KernelConfig spec_config(const spec::KernelSpec &k)
{
	if (auto *mover = std::get_if<spec::DataMovementHardwareConfig>(&k.hw_config)) {
		auto *gen1 = std::get_if<spec::DataMovementGen1Config>(mover);

		TACHO_METALIUM_REQUIRE(gen1, "kernel {} is for another generation of the hardware",
				       *k.unique_id);
		DataMovementConfig c;

		c.processor = gen1->processor;
		c.noc = gen1->noc;
		c.noc_mode = gen1->noc_mode;
		c.defines = k.compiler_options.defines;
		c.compiler_include_paths = k.compiler_options.include_paths;
		return c;
	}
	auto *gen1 = std::get_if<spec::ComputeGen1Config>(
		&std::get<spec::ComputeHardwareConfig>(k.hw_config));

	TACHO_METALIUM_REQUIRE(gen1, "kernel {} is for another generation of the hardware",
			       *k.unique_id);
	ComputeConfig c;

	c.math_fidelity = gen1->fpu_math_fidelity;
	c.fp32_dest_acc_en = gen1->enable_32_bit_dest;
	c.dst_full_sync_en = !gen1->double_buffer_dest;
	c.math_approx_mode = gen1->sfpu_precision_mode == spec::SfpuPrecisionMode::Approximate;
	c.defines = k.compiler_options.defines;
	c.compiler_include_paths = k.compiler_options.include_paths;
	return c;
}

/* Names for the resources bound to a kernel, as text before its source. */
inline std::string spec_prologue(const spec::ProgramSpec &program, const spec::KernelSpec &k,
				 const std::map<std::string, uint32_t> &semaphores)
{
	std::string args, buffers, sems;
	uint32_t offset = 0;

	for (const std::string &name : k.runtime_arg_schema.runtime_arg_names) {
		args += fmt::format("constexpr experimental::RtaArg<uint32_t> {}{{{}}};\n", name,
				    offset);
		offset += 4;
	}
	offset = 0;
	for (const std::string &name : k.runtime_arg_schema.common_runtime_arg_names) {
		args += fmt::format("constexpr experimental::CrtaArg<uint32_t> {}{{{}}};\n", name,
				    offset);
		offset += 4;
	}
	for (const auto &[name, value] : k.compile_time_args)
		args += fmt::format("constexpr experimental::CtaVal<uint32_t> {}{{{}}};\n", name,
				    value);
	for (const auto &binding : k.dfb_bindings)
		for (size_t i = 0; i < program.dataflow_buffers.size(); i++)
			if (program.dataflow_buffers[i].unique_id == binding.dfb_spec_name)
				buffers += fmt::format("constexpr DFBBindingToken {}{{{}}};\n",
						       binding.accessor_name, i);
	for (const auto &binding : k.semaphore_bindings)
		sems += fmt::format("constexpr uint32_t {} = {};\n", binding.accessor_name,
				    semaphores.at(*binding.semaphore_spec_name));
	if (args.empty() && buffers.empty() && sems.empty())
		return "";
	return fmt::format(
		"#undef TACHO_NAMED_ARGS\n#define TACHO_NAMED_ARGS {}\n"
		"#undef TACHO_NAMED_COMMON_ARGS\n#define TACHO_NAMED_COMMON_ARGS {}\n"
		"#include \"experimental/kernel_args.h\"\n#include \"api/dataflow/dataflow_buffer.h\"\n"
		"namespace args {{\n{}}}\nnamespace dfb {{\n{}}}\nnamespace sem {{\n{}}}\n",
		k.runtime_arg_schema.runtime_arg_names.size(),
		k.runtime_arg_schema.common_runtime_arg_names.size(), args, buffers, sems);
}

} /* namespace tacho_metalium */

namespace tt::tt_metal::experimental
{

inline Program MakeProgramFromSpec(distributed::MeshDevice &, const ProgramSpec &spec, bool = false,
				   const char *caller = __builtin_FILE())
{
	TACHO_ZONE("MakeProgramFromSpec");
	Program program;
	auto &note = *program.tacho_note();
	std::map<std::string, uint32_t> semaphores;

	note.name = spec.name;
	for (const SemaphoreSpec &s : spec.semaphores)
		semaphores[*s.unique_id] =
			CreateSemaphore(program, tacho_metalium::set_of(s.target_nodes), 0);
	for (size_t i = 0; i < spec.dataflow_buffers.size(); i++) {
		const DataflowBufferSpec &b = spec.dataflow_buffers[i];
		CoreRangeSet cores;

		for (const KernelSpec &k : spec.kernels)
			for (const auto &binding : k.dfb_bindings)
				if (binding.dfb_spec_name == b.unique_id)
					cores = cores.merge(
						tacho_metalium::spec_cores(spec, k.unique_id));
		TACHO_METALIUM_REQUIRE(!cores.empty(), "dataflow buffer {} is bound to no kernel",
				       *b.unique_id);
		const auto index = static_cast<uint8_t>(i);

		CreateCircularBuffer(
			program, cores,
			CircularBufferConfig(b.entry_size * b.num_entries,
					     {{index, b.data_format_metadata.value_or(
							      tt::DataFormat::Float16_b)}})
				.set_page_size(index, b.entry_size));
	}
	for (const KernelSpec &k : spec.kernels) {
		const CoreRangeSet cores = tacho_metalium::spec_cores(spec, k.unique_id);
		const KernelConfig config = tacho_metalium::spec_config(k);

		if (auto *path = std::get_if<std::filesystem::path>(&k.source))
			CreateKernel(program, path->string(), cores, config, caller);
		else
			CreateKernelFromString(program, std::get<SourceCode>(k.source).code, cores,
					       config);
		note.kernels.back().prologue = tacho_metalium::spec_prologue(spec, k, semaphores);
		note.spec_names[*k.unique_id] = {note.kernels.size() - 1,
						 k.runtime_arg_schema.runtime_arg_names,
						 k.runtime_arg_schema.common_runtime_arg_names};
	}
	return program;
}

inline void SetProgramRunArgs(Program &program, const ProgramRunArgs &args, bool = false)
{
	auto &note = *program.tacho_note();

	for (const KernelRunArgs &k : args.kernel_run_args) {
		auto at = note.spec_names.find(*k.kernel);

		TACHO_METALIUM_REQUIRE(at != note.spec_names.end(), "the program has no kernel {}",
				       *k.kernel);
		auto &kernel = note.kernels.at(at->second.number);

		for (size_t i = 0; i < at->second.runtime.size(); i++)
			for (const auto &[node, value] :
			     k.runtime_arg_values.at(at->second.runtime[i])) {
				auto &words = kernel.args[node].words;

				words.resize(at->second.runtime.size());
				words[i] = value;
			}
		for (const auto &[node, values] : k.advanced_options.runtime_varargs) {
			auto &words = kernel.args[node].words;

			words.resize(at->second.runtime.size());
			words.insert(words.end(), values.begin(), values.end());
		}
		kernel.common.words.resize(at->second.common.size());
		for (size_t i = 0; i < at->second.common.size(); i++)
			kernel.common.words[i] =
				k.common_runtime_arg_values.at(at->second.common[i]);
		const auto &rest = k.advanced_options.common_runtime_varargs;

		kernel.common.words.insert(kernel.common.words.end(), rest.begin(), rest.end());
	}
}
inline void UpdateProgramRunArgs(Program &program, const ProgramRunArgs &args)
{
	SetProgramRunArgs(program, args);
}

/* ---- callbacks ---- */
struct ProgramRealtimeRecord {
	uint64_t runtime_id = 0;
	int chip_id = 0;
	uint64_t start_timestamp = 0, end_timestamp = 0;
	double frequency = 0; /* GHz */
	std::span<const std::string_view> kernel_sources;
};
struct ProgramRealtimeRecordBatch {
	std::span<const ProgramRealtimeRecord> records;
	uint64_t dropped = 0;
};
using ProgramRealtimeProfilerCallback = std::function<void(const ProgramRealtimeRecordBatch &)>;
using ProgramRealtimeProfilerCallbackHandle = uint64_t;

/* From now on each run is waited for, and its end is reported. */
inline ProgramRealtimeProfilerCallbackHandle
RegisterProgramRealtimeProfilerCallback(ProgramRealtimeProfilerCallback callback)
{
	static uint64_t last;

	tacho_metalium::run_listeners()[++last] = [callback](
							  const tacho_metalium::run_record &run) {
		std::vector<std::string_view> sources(run.sources.begin(), run.sources.end());
		ProgramRealtimeRecord record{run.runtime_id, run.chip, run.start,
					     run.end,        run.ghz,  sources};

		callback({std::span<const ProgramRealtimeRecord>(&record, 1), 0});
	};
	return last;
}
inline void UnregisterProgramRealtimeProfilerCallback(ProgramRealtimeProfilerCallbackHandle handle)
{
	tacho_metalium::run_listeners().erase(handle);
}
inline bool IsProgramRealtimeProfilerActive()
{
	return true;
}

} /* namespace tt::tt_metal::experimental */
