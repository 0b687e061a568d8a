/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: their parts are only stored until they are first run on a device; then the C library's
 * program is created, once per device, and cached until something is added.
 */
#pragma once

#include <tacho/metalium/buffer.hpp>

namespace tt::tt_metal
{

/* ---- kernels ---- */
struct DataMovementConfig {
	DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
	NOC noc = NOC::RISCV_0_default;
	NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
	std::vector<uint32_t> compile_args{};
	std::map<std::string, std::string> defines{};
	std::unordered_map<std::string, uint32_t> named_compile_args{};
	KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2;
	std::vector<std::filesystem::path> compiler_include_paths{};
};

struct ReaderDataMovementConfig : public DataMovementConfig {
	ReaderDataMovementConfig(std::vector<uint32_t> args = {},
				 std::map<std::string, std::string> macros = {},
				 std::unordered_map<std::string, uint32_t> named = {},
				 KernelBuildOptLevel level = KernelBuildOptLevel::O2,
				 std::vector<std::filesystem::path> paths = {})
	    : DataMovementConfig{DataMovementProcessor::RISCV_1,
				 NOC::NOC_0,
				 NOC_MODE::DM_DEDICATED_NOC,
				 std::move(args),
				 std::move(macros),
				 std::move(named),
				 level,
				 std::move(paths)}
	{
	}
};
struct WriterDataMovementConfig : public DataMovementConfig {
	WriterDataMovementConfig(std::vector<uint32_t> args = {},
				 std::map<std::string, std::string> macros = {},
				 std::unordered_map<std::string, uint32_t> named = {},
				 KernelBuildOptLevel level = KernelBuildOptLevel::O2,
				 std::vector<std::filesystem::path> paths = {})
	    : DataMovementConfig{DataMovementProcessor::RISCV_0,
				 NOC::NOC_1,
				 NOC_MODE::DM_DEDICATED_NOC,
				 std::move(args),
				 std::move(macros),
				 std::move(named),
				 level,
				 std::move(paths)}
	{
	}
};

struct ComputeConfig {
	MathFidelity math_fidelity = MathFidelity::HiFi4;
	bool fp32_dest_acc_en = false;
	bool dst_full_sync_en = false;
	std::vector<UnpackToDestMode> unpack_to_dest_mode{};
	bool bfp8_pack_precise = false;
	bool math_approx_mode = false;
	std::vector<uint32_t> compile_args{};
	std::map<std::string, std::string> defines{};
	std::unordered_map<std::string, uint32_t> named_compile_args{};
	KernelBuildOptLevel opt_level = KernelBuildOptLevel::O3;
	std::vector<std::filesystem::path> compiler_include_paths{};
};

struct EthernetConfig {
	Eth eth_mode = Eth::SENDER;
	NOC noc = NOC::NOC_0;
	DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
	std::vector<uint32_t> compile_args{};
	std::map<std::string, std::string> defines{};
	KernelBuildOptLevel opt_level = KernelBuildOptLevel::Os;
};

using KernelConfig = std::variant<DataMovementConfig, ComputeConfig, EthernetConfig>;

/* ---- circular buffers ---- */
class Tile
{
public:
	Tile(std::array<uint32_t, 2> shape = {32, 32}, bool = false) : shape_(shape)
	{
	}
	uint32_t get_height() const
	{
		return shape_[0];
	}
	uint32_t get_width() const
	{
		return shape_[1];
	}
	uint32_t get_tile_hw() const
	{
		return shape_[0] * shape_[1];
	}
	std::array<uint32_t, 2> get_tile_shape() const
	{
		return shape_;
	}
	uint32_t get_tile_size(DataFormat f) const
	{
		const uint32_t exponents = get_tile_hw() / 16;

		switch (f) {
		case DataFormat::Bfp8:
		case DataFormat::Bfp8_b:
			return get_tile_hw() + tt::align(exponents, 16u);
		case DataFormat::Bfp4:
		case DataFormat::Bfp4_b:
			return get_tile_hw() / 2 + tt::align(exponents, 16u);
		case DataFormat::Bfp2:
		case DataFormat::Bfp2_b:
			return get_tile_hw() / 4 + tt::align(exponents, 16u);
		default:
			return tt::datum_size(f) * get_tile_hw();
		}
	}

private:
	std::array<uint32_t, 2> shape_;
};

class CircularBufferConfig
{
public:
	CircularBufferConfig(uint32_t total, const std::map<uint8_t, tt::DataFormat> &formats)
	    : total_(total)
	{
		for (const auto &[index, format] : formats)
			indices_[index].format = format;
	}
	CircularBufferConfig(uint32_t total, const std::map<uint8_t, tt::DataFormat> &formats,
			     const Buffer &buffer)
	    : CircularBufferConfig(total, formats)
	{
		set_globally_allocated_address(buffer);
	}
	explicit CircularBufferConfig(uint32_t total) : total_(total)
	{
	}

	CircularBufferConfig &set_page_size(uint8_t index, uint32_t bytes)
	{
		TACHO_METALIUM_REQUIRE(indices_.contains(index), "circular buffer {} has no format",
				       index);
		TACHO_METALIUM_REQUIRE(
			bytes && total_ % bytes == 0,
			"circular buffer {}: {} bytes are not a multiple of the page size {}",
			index, total_, bytes);
		indices_[index].page_size = bytes;
		return *this;
	}
	CircularBufferConfig &set_total_size(uint32_t bytes)
	{
		total_ = bytes;
		return *this;
	}
	CircularBufferConfig &set_globally_allocated_address(const Buffer &buffer)
	{
		TACHO_METALIUM_REQUIRE(buffer.is_l1(),
				       "a circular buffer can only lie on an L1 buffer");
		address_ = buffer.address();
		return *this;
	}
	CircularBufferConfig &set_globally_allocated_address_and_total_size(const Buffer &buffer,
									    uint32_t bytes)
	{
		return set_globally_allocated_address(buffer).set_total_size(bytes);
	}
	CircularBufferConfig &set_tile_dims(uint8_t index, const Tile &tile)
	{
		indices_[index].tile = tile;
		return *this;
	}
	class Builder
	{
	public:
		Builder(CircularBufferConfig &config, uint8_t index)
		    : config_(config), index_(index)
		{
		}
		const Builder &set_data_format(tt::DataFormat f) const
		{
			config_.indices_[index_].format = f;
			return *this;
		}
		const Builder &set_page_size(uint32_t bytes) const
		{
			config_.set_page_size(index_, bytes);
			return *this;
		}
		const Builder &set_total_size(uint32_t bytes) const
		{
			config_.set_total_size(bytes);
			return *this;
		}
		const Builder &set_tile_dims(const Tile &tile) const
		{
			config_.set_tile_dims(index_, tile);
			return *this;
		}

	private:
		CircularBufferConfig &config_;
		uint8_t index_;
	};
	Builder index(uint8_t i)
	{
		indices_[i];
		return {*this, i};
	}

	uint32_t total_size() const
	{
		return total_;
	}
	std::optional<uint32_t> globally_allocated_address() const
	{
		return address_;
	}
	struct one {
		tt::DataFormat format = tt::DataFormat::Float16_b;
		uint32_t page_size = 0; /* 0: not said */
		Tile tile;
	};
	const std::map<uint8_t, one> &indices() const
	{
		return indices_;
	}

private:
	uint32_t total_ = 0;
	std::map<uint8_t, one> indices_;
	std::optional<uint32_t> address_;
};

/* Words that programs may change between runs. */
struct RuntimeArgsData {
	std::vector<uint32_t> words;

	uint32_t &operator[](size_t i)
	{
		return words.at(i);
	}
	const uint32_t &operator[](size_t i) const
	{
		return words.at(i);
	}
	uint32_t &at(size_t i)
	{
		return words.at(i);
	}
	uint32_t *data()
	{
		return words.data();
	}
	const uint32_t *data() const
	{
		return words.data();
	}
	size_t size() const
	{
		return words.size();
	}
	auto begin()
	{
		return words.begin();
	}
	auto end()
	{
		return words.end();
	}
};
using RuntimeArgs = std::vector<std::variant<Buffer *, uint32_t>>;

} /* namespace tt::tt_metal */

namespace tacho_metalium
{

using namespace tt::tt_metal;

struct kernel_note {
	std::string source;              /* the path that was found, or a name for TEXT */
	std::optional<std::string> text; /* of a kernel that is not a file */
	std::string root;                /* the repository that it was found below, or empty */
	std::string prologue;
	CoreRangeSet cores;
	KernelConfig config;
	std::map<CoreCoord, RuntimeArgsData> args;
	RuntimeArgsData common;
};

struct cb_note {
	CoreRangeSet cores;
	CircularBufferConfig config;
};

struct sem_note {
	CoreRangeSet cores;
	uint32_t value;
	unsigned number;
};

/* The C library's program for one chip. */
struct built {
	std::shared_ptr<chip> owner;
	tacho_program *program = nullptr;
	std::vector<int> kernels;
	unsigned version = 0; /* of the note that it was made of */

	built() = default;
	built(const built &) = delete;
	built &operator=(const built &) = delete;
	~built()
	{
		if (owner)
			owner->release(program);
	}
};

/*
 * What the report says of a program: its name, and as attributes its circular buffers and, for each
 * kernel, cores, compile-time arguments and defines. The views of OP are into the other members.
 */
struct op_text {
	std::string name;
	std::vector<std::pair<std::string, std::string>> texts;
	std::vector<tacho_attribute> attributes;
	tacho_op op = {};

	op_text(const std::string &program_name, const std::vector<kernel_note> &kernels,
		const std::vector<cb_note> &cbs)
	    : name(program_name)
	{
		for (size_t i = 0; i < kernels.size(); i++)
			texts.emplace_back(fmt::format("kernel_{}", i), kernel_text(kernels[i]));
		for (const cb_note &cb : cbs)
			for (const auto &[index, one] : cb.config.indices())
				texts.emplace_back(fmt::format("cb_{}", index),
						   fmt::format("{} bytes of {} on {}",
							       cb.config.total_size(), one.format,
							       cb.cores.str()));
		for (const auto &[key, value] : texts)
			attributes.push_back({key.c_str(), value.c_str()});
		op.name = name.empty() ? nullptr : name.c_str();
		op.attributes = attributes.data();
		op.attribute_count = static_cast<unsigned>(attributes.size());
	}
	op_text(const op_text &) = delete;
	op_text &operator=(const op_text &) = delete;

private:
	static std::string kernel_text(const kernel_note &note)
	{
		const std::filesystem::path path(note.source);
		std::string text =
			fmt::format("{} on {}", path.filename().string(), note.cores.str());

		std::visit(
			[&](const auto &config) {
				if (!config.compile_args.empty())
					text += fmt::format(", arguments {}",
							    fmt::join(config.compile_args, " "));
				for (const auto &[key, value] : config.defines)
					text += fmt::format(", {}={}", key, value);
			},
			note.config);
		return text;
	}
};

inline std::vector<const char *> pointers(const std::vector<std::string> &texts)
{
	std::vector<const char *> out;

	for (const std::string &t : texts)
		out.push_back(t.c_str());
	out.push_back(nullptr);
	return out;
}

inline std::filesystem::path &root_dir()
{
	static std::filesystem::path root;
	return root;
}

/* Folders that are searched for kernels: "" is the current folder. */
inline std::vector<std::filesystem::path> kernel_roots(const char *caller)
{
	std::vector<std::filesystem::path> roots = {""};
	std::error_code error;

	for (const char *name : {"TT_METAL_KERNEL_PATH", "TT_METAL_RUNTIME_ROOT", "TT_METAL_HOME"})
		if (const char *value = environment(name); value && *value)
			roots.emplace_back(value);
	roots.emplace_back("/usr/share/tenstorrent/kernels");
	if (!root_dir().empty())
		roots.push_back(root_dir());
	/* A compiler that was called in the build folder may know the caller relative to it. */
	const auto self = std::filesystem::read_symlink("/proc/self/exe", error);

	for (const auto &from :
	     {self, std::filesystem::absolute(caller, error), self.parent_path() / caller}) {
		const auto file = from.lexically_normal();

		for (auto at = file.parent_path(); at.has_relative_path(); at = at.parent_path())
			roots.push_back(at);
	}
	return roots;
}

inline std::pair<std::string, std::string> kernel_find(const std::string &file, const char *caller)
{
	std::error_code error;

	if (std::filesystem::path(file).is_absolute() &&
	    std::filesystem::is_regular_file(file, error))
		return {file, ""};
	for (const auto &root : kernel_roots(caller)) {
		auto at = root.empty() ? std::filesystem::path(file) : root / file;

		if (std::filesystem::is_regular_file(at, error))
			return {std::filesystem::absolute(at, error).string(),
				std::filesystem::absolute(root.empty() ? "." : root, error)
					.string()};
	}
	throw std::runtime_error(
		fmt::format("cannot find the kernel {}: not in {}, nor below "
			    "TT_METAL_KERNEL_PATH, TT_METAL_RUNTIME_ROOT or TT_METAL_HOME",
			    file, std::filesystem::current_path(error).string()));
}

class program_note
{
public:
	std::vector<kernel_note> kernels;
	std::vector<cb_note> cbs;
	std::vector<sem_note> sems;
	std::string name; /* of the op; empty: by its kernels */
	struct spec_kernel {
		size_t number = 0;
		std::vector<std::string> runtime, common; /* names of arguments */
	};
	std::map<std::string, spec_kernel> spec_names;
	uint64_t runtime_id = 0;
	unsigned version = 1; /* of all but arguments */

	/* Prepares the program for a run there, with the current arguments. */
	std::shared_ptr<built> on(const std::shared_ptr<chip> &chip)
	{
		auto &entry = built_[chip.get()];

		if (!entry || entry->version != version) {
			entry = std::make_shared<built>();
			make(*entry, chip);
		}
		set_args(*entry);
		return entry;
	}

private:
	std::map<chip *, std::shared_ptr<built>> built_;

	void make(built &b, const std::shared_ptr<chip> &chip)
	{
		check(tacho_program_new(&b.program, chip->get()));
		b.owner = chip;
		chip->own(b.program, [p = b.program] { tacho_program_free(p); });
		for (const cb_note &cb : cbs)
			add_cb(b, cb);
		for (const sem_note &sem : sems) {
			auto ranges = ranges_of(sem.cores);
			int number = check(tacho_program_semaphore_on(
				b.program, ranges.data(), static_cast<unsigned>(ranges.size()),
				sem.value));

			TACHO_METALIUM_REQUIRE(static_cast<unsigned>(number) == sem.number,
					       "semaphore {} became {}", sem.number, number);
		}
		for (const kernel_note &k : kernels)
			b.kernels.push_back(add_kernel(b, k));
		const op_text text(name, kernels, cbs);

		check(tacho_op_describe(b.program, &text.op));
		if (runtime_id)
			check(tacho_op_number(b.program, static_cast<uint32_t>(runtime_id)));
		b.version = version;
	}
	static void add_cb(built &b, const cb_note &note)
	{
		auto ranges = ranges_of(note.cores);
		tacho_buffer *below = nullptr;
		int first = -1;

		if (note.config.globally_allocated_address()) {
			tacho_buffer_options at = {};

			at.memory = TACHO_L1;
			at.size = at.page_size = 4;
			at.address = *note.config.globally_allocated_address();
			check(tacho_buffer_make(&below, b.owner->get(), &at));
		}
		for (const auto &[index, one] : note.config.indices()) {
			tacho_cb cb = {};
			uint32_t page = one.page_size ? one.page_size : note.config.total_size();

			cb.index = index;
			cb.page_size = page;
			cb.pages = note.config.total_size() / page;
			cb.format = static_cast<tacho_format>(one.format);
			cb.ranges = ranges.data();
			cb.range_count = static_cast<unsigned>(ranges.size());
			cb.buffer = below;
			cb.tile_height = one.tile.get_height();
			cb.tile_width = one.tile.get_width();
			if (first >= 0)
				cb.shares = static_cast<unsigned>(first) + 1;
			int number = tacho_program_cb(b.program, &cb);

			if (number < 0) {
				tacho_buffer_free(below);
				check(number);
			}
			if (first < 0)
				first = number;
		}
		tacho_buffer_free(below);
	}
	static int add_kernel(built &b, const kernel_note &note)
	{
		auto ranges = ranges_of(note.cores);
		std::vector<std::string> defines, paths;
		std::vector<tacho_named_arg> named;
		tacho_kernel k = {};

		std::visit(
			[&](const auto &config) {
				using T = std::decay_t<decltype(config)>;

				for (const auto &[key, value] : config.defines)
					defines.push_back(value.empty() ? key + "="
									: key + "=" + value);
				k.compile_args = config.compile_args.data();
				k.compile_arg_count =
					static_cast<unsigned>(config.compile_args.size());
				if constexpr (!std::is_same_v<T, EthernetConfig>) {
					for (const auto &[key, value] : config.named_compile_args)
						named.push_back({key.c_str(), value});
					for (const auto &path : config.compiler_include_paths)
						paths.push_back(path.string());
				}
				if constexpr (std::is_same_v<T, ComputeConfig>) {
					k.risc = TACHO_COMPUTE;
					compute(k, config, defines);
				} else if constexpr (std::is_same_v<T, EthernetConfig>) {
					k.risc = TACHO_ERISC;
				} else {
					k.risc = config.processor == DataMovementProcessor::RISCV_0
							 ? TACHO_BRISC
							 : TACHO_NCRISC;
					k.noc = config.noc == NOC::NOC_0 ? TACHO_NOC_0
									 : TACHO_NOC_1;
				}
			},
			note.config);
		if (!note.root.empty())
			for (const char *below : {"", "/ttnn", "/ttnn/cpp", "/tt_metal"})
				paths.push_back(note.root + below);
		auto define_list = pointers(defines), path_list = pointers(paths);

		k.source = note.source.c_str();
		k.text = note.text ? note.text->c_str() : nullptr;
		k.prologue = note.prologue.empty() ? nullptr : note.prologue.c_str();
		k.ranges = ranges.data();
		k.range_count = static_cast<unsigned>(ranges.size());
		k.defines = define_list.data();
		k.include_paths = path_list.data();
		k.named_args = named.data();
		k.named_arg_count = static_cast<unsigned>(named.size());
		return check(tacho_program_kernel(b.program, &k));
	}
	static void compute(tacho_kernel &k, const ComputeConfig &config,
			    std::vector<std::string> &defines)
	{
		k.fidelity = config.math_fidelity == MathFidelity::LoFi    ? TACHO_LOFI
			     : config.math_fidelity == MathFidelity::HiFi2 ? TACHO_HIFI2
			     : config.math_fidelity == MathFidelity::HiFi3 ? TACHO_HIFI3
									   : TACHO_HIFI4;
		if (config.fp32_dest_acc_en)
			defines.push_back("TACHO_DST_FP32=1");
		if (config.dst_full_sync_en)
			defines.push_back("DST_SYNC_MODE=DstSync::SyncFull");
		if (config.math_approx_mode)
			defines.push_back("APPROX=true");
	}
	void set_args(built &b)
	{
		for (size_t i = 0; i < kernels.size(); i++) {
			for (const auto &[core, args] : kernels[i].args)
				check(tacho_program_args(b.program, b.kernels[i],
							 {static_cast<uint16_t>(core.x),
							  static_cast<uint16_t>(core.y)},
							 args.data(),
							 static_cast<unsigned>(args.size())));
			if (kernels[i].common.size())
				check(tacho_program_common_args(
					b.program, b.kernels[i], kernels[i].common.data(),
					static_cast<unsigned>(kernels[i].common.size())));
		}
	}
};

} /* namespace tacho_metalium */

namespace tt::tt_metal
{

class Program
{
public:
	Program() : note_(std::make_shared<tacho_metalium::program_note>())
	{
	}
	Program(Program &&) = default;
	Program &operator=(Program &&) = default;
	Program(const Program &) = delete;
	Program &operator=(const Program &) = delete;

	void set_runtime_id(ProgramId id)
	{
		note_->runtime_id = id;
		note_->version++;
	}
	ProgramId get_runtime_id() const
	{
		return note_->runtime_id;
	}
	ProgramId get_id() const
	{
		return reinterpret_cast<uintptr_t>(note_.get());
	}
	size_t num_kernels() const
	{
		return note_->kernels.size();
	}
	const std::vector<tacho_metalium::cb_note> &circular_buffers() const
	{
		return note_->cbs;
	}

	const std::shared_ptr<tacho_metalium::program_note> &tacho_note() const
	{
		return note_;
	}

private:
	std::shared_ptr<tacho_metalium::program_note> note_;
};

inline Program CreateProgram()
{
	return Program();
}

inline KernelHandle CreateKernel(Program &program, const std::string &file,
				 const CoreSpecVariant &cores, const KernelConfig &config,
				 const char *caller = __builtin_FILE())
{
	TACHO_ZONE("CreateKernel");
	auto &note = *program.tacho_note();
	auto [path, root] = tacho_metalium::kernel_find(file, caller);

	note.kernels.push_back(
		{path, std::nullopt, root, "", tacho_metalium::set_of(cores), config, {}, {}});
	note.version++;
	return static_cast<KernelHandle>(note.kernels.size() - 1);
}
inline KernelHandle CreateKernelFromString(Program &program, const std::string &text,
					   const CoreSpecVariant &cores, const KernelConfig &config)
{
	TACHO_ZONE("CreateKernelFromString");
	auto &note = *program.tacho_note();

	note.kernels.push_back({fmt::format("kernel_{:016x}.cpp", std::hash<std::string>()(text)),
				text,
				"",
				"",
				tacho_metalium::set_of(cores),
				config,
				{},
				{}});
	note.version++;
	return static_cast<KernelHandle>(note.kernels.size() - 1);
}

inline CBHandle CreateCircularBuffer(Program &program, const CoreSpecVariant &cores,
				     const CircularBufferConfig &config)
{
	auto &note = *program.tacho_note();

	TACHO_METALIUM_REQUIRE(!config.indices().empty(), "a circular buffer has an index");
	note.cbs.push_back({tacho_metalium::set_of(cores), config});
	note.version++;
	return note.cbs.size() - 1;
}
inline const CircularBufferConfig &GetCircularBufferConfig(Program &program, CBHandle cb)
{
	return program.tacho_note()->cbs.at(cb).config;
}
inline void UpdateCircularBufferTotalSize(Program &program, CBHandle cb, uint32_t bytes)
{
	program.tacho_note()->cbs.at(cb).config.set_total_size(bytes);
	program.tacho_note()->version++;
}
inline void UpdateCircularBufferPageSize(Program &program, CBHandle cb, uint8_t index,
					 uint32_t bytes)
{
	program.tacho_note()->cbs.at(cb).config.set_page_size(index, bytes);
	program.tacho_note()->version++;
}
inline void UpdateDynamicCircularBufferAddress(Program &program, CBHandle cb, const Buffer &buffer)
{
	program.tacho_note()->cbs.at(cb).config.set_globally_allocated_address(buffer);
	program.tacho_note()->version++;
}
inline void UpdateDynamicCircularBufferAddressAndTotalSize(Program &program, CBHandle cb,
							   const Buffer &buffer, uint32_t bytes)
{
	UpdateCircularBufferTotalSize(program, cb, bytes);
	UpdateDynamicCircularBufferAddress(program, cb, buffer);
}

/* The lowest number that is free on all these cores. */
inline uint32_t CreateSemaphore(Program &program,
				const std::variant<CoreRange, CoreRangeSet> &cores, uint32_t value,
				CoreType = CoreType::WORKER)
{
	auto &note = *program.tacho_note();
	CoreRangeSet set = std::visit([](const auto &c) { return CoreRangeSet(c); }, cores);
	unsigned number = 0;

	for (bool taken = true; taken; number += taken)
		taken = std::any_of(note.sems.begin(), note.sems.end(), [&](const auto &s) {
			return s.number == number && s.cores.intersects(set);
		});
	TACHO_METALIUM_REQUIRE(number < 16, "a core has at most 16 semaphores");
	note.sems.push_back({set, value, number});
	note.version++;
	return number;
}

/* ---- arguments ---- */
inline void SetRuntimeArgs(const Program &program, KernelHandle kernel,
			   const CoreSpecVariant &cores, std::span<const uint32_t> args)
{
	auto &note = program.tacho_note()->kernels.at(kernel);
	const CoreRangeSet set = tacho_metalium::set_of(cores);

	TACHO_METALIUM_REQUIRE(args.size() <= 341, "{}: {} arguments, a kernel has at most 341",
			       note.source, args.size());
	for (const CoreRange &range : set.ranges())
		for (const CoreCoord &core : range) {
			TACHO_METALIUM_REQUIRE(note.cores.contains(core),
					       "{} does not run on core {}", note.source, core);
			note.args[core].words.assign(args.begin(), args.end());
		}
}
inline void SetRuntimeArgs(const Program &program, KernelHandle kernel,
			   const CoreSpecVariant &cores, std::initializer_list<uint32_t> args)
{
	SetRuntimeArgs(program, kernel, cores,
		       std::span<const uint32_t>(args.begin(), args.size()));
}
inline void SetRuntimeArgs(const Program &program, KernelHandle kernel,
			   const std::vector<CoreCoord> &cores,
			   const std::vector<std::vector<uint32_t>> &args)
{
	TACHO_METALIUM_REQUIRE(cores.size() == args.size(), "{} cores, but arguments for {}",
			       cores.size(), args.size());
	for (size_t i = 0; i < cores.size(); i++)
		SetRuntimeArgs(program, kernel, cores[i], std::span<const uint32_t>(args[i]));
}
inline void SetCommonRuntimeArgs(const Program &program, KernelHandle kernel,
				 std::span<const uint32_t> args)
{
	program.tacho_note()->kernels.at(kernel).common.words.assign(args.begin(), args.end());
}
inline void SetCommonRuntimeArgs(const Program &program, KernelHandle kernel,
				 std::initializer_list<uint32_t> args)
{
	SetCommonRuntimeArgs(program, kernel, std::span<const uint32_t>(args.begin(), args.size()));
}
inline RuntimeArgsData &GetRuntimeArgs(const Program &program, KernelHandle kernel,
				       const CoreCoord &core)
{
	return program.tacho_note()->kernels.at(kernel).args.at(core);
}
inline RuntimeArgsData &GetCommonRuntimeArgs(const Program &program, KernelHandle kernel)
{
	return program.tacho_note()->kernels.at(kernel).common;
}

} /* namespace tt::tt_metal */
