/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates of cores, ranges and sets of them, and how work is spread over them. */
#pragma once

#include <tacho/metalium/base.hpp>

namespace tt
{

struct xy_pair {
	size_t x = 0, y = 0;

	constexpr xy_pair() = default;
	constexpr xy_pair(size_t x_, size_t y_) : x(x_), y(y_)
	{
	}
	constexpr bool operator==(const xy_pair &o) const
	{
		return x == o.x && y == o.y;
	}
	constexpr auto operator<=>(const xy_pair &o) const
	{
		return x != o.x ? x <=> o.x : y <=> o.y;
	}
	std::string str() const
	{
		return fmt::format("(x={},y={})", x, y);
	}
};

} /* namespace tt */

using tt_xy_pair = tt::xy_pair;
using CoreCoord = tt_xy_pair;

inline std::ostream &operator<<(std::ostream &os, const tt::xy_pair &c)
{
	return os << c.str();
}
template <> struct std::hash<tt::xy_pair> {
	size_t operator()(const tt::xy_pair &c) const
	{
		return c.x * 1000003 + c.y;
	}
};
template <> struct fmt::formatter<tt::xy_pair> : fmt::formatter<std::string_view> {
	template <typename C> auto format(const tt::xy_pair &c, C &context) const
	{
		return fmt::formatter<std::string_view>::format(fmt::format("{}-{}", c.x, c.y),
								context);
	}
};

/* A rectangle; both corners are inside. */
class CoreRange
{
public:
	CoreCoord start_coord, end_coord;

	CoreRange(const CoreCoord &point) : start_coord(point), end_coord(point)
	{
	}
	CoreRange(const CoreCoord &start, const CoreCoord &end) : start_coord(start), end_coord(end)
	{
		TACHO_METALIUM_REQUIRE(
			start.x <= end.x && start.y <= end.y,
			"core range {} - {}: the first core must not be after the last", start,
			end);
	}
	bool operator==(const CoreRange &) const = default;
	auto operator<=>(const CoreRange &o) const
	{
		return std::tie(start_coord, end_coord) <=> std::tie(o.start_coord, o.end_coord);
	}
	CoreCoord grid_size() const
	{
		return {end_coord.x - start_coord.x + 1, end_coord.y - start_coord.y + 1};
	}
	size_t size() const
	{
		return grid_size().x * grid_size().y;
	}
	bool contains(const CoreCoord &c) const
	{
		return c.x >= start_coord.x && c.x <= end_coord.x && c.y >= start_coord.y &&
		       c.y <= end_coord.y;
	}
	bool contains(const CoreRange &o) const
	{
		return contains(o.start_coord) && contains(o.end_coord);
	}
	bool intersects(const CoreRange &o) const
	{
		return intersection(o).has_value();
	}
	std::optional<CoreRange> intersection(const CoreRange &o) const
	{
		CoreCoord a{std::max(start_coord.x, o.start_coord.x),
			    std::max(start_coord.y, o.start_coord.y)};
		CoreCoord b{std::min(end_coord.x, o.end_coord.x),
			    std::min(end_coord.y, o.end_coord.y)};

		if (a.x > b.x || a.y > b.y)
			return std::nullopt;
		return CoreRange(a, b);
	}
	/* The two as one, when they make a rectangle. */
	std::optional<CoreRange> merge(const CoreRange &o) const
	{
		const bool columns =
			start_coord.x == o.start_coord.x && end_coord.x == o.end_coord.x;
		const bool rows = start_coord.y == o.start_coord.y && end_coord.y == o.end_coord.y;

		if (contains(o))
			return *this;
		if ((columns && std::max(start_coord.y, o.start_coord.y) <=
					std::min(end_coord.y, o.end_coord.y) + 1) ||
		    (rows && std::max(start_coord.x, o.start_coord.x) <=
				     std::min(end_coord.x, o.end_coord.x) + 1))
			return CoreRange({std::min(start_coord.x, o.start_coord.x),
					  std::min(start_coord.y, o.start_coord.y)},
					 {std::max(end_coord.x, o.end_coord.x),
					  std::max(end_coord.y, o.end_coord.y)});
		return std::nullopt;
	}
	std::string str() const
	{
		return fmt::format("[{} - {}]", start_coord, end_coord);
	}

	/* Row by row. */
	class CoreIterator
	{
	public:
		using iterator_category = std::forward_iterator_tag;
		using value_type = CoreCoord;
		using difference_type = std::ptrdiff_t;
		using pointer = const CoreCoord *;
		using reference = const CoreCoord &;

		CoreIterator(const CoreCoord &at, const CoreRange &range) : at_(at), range_(&range)
		{
		}
		const CoreCoord &operator*() const
		{
			return at_;
		}
		CoreIterator &operator++()
		{
			if (at_.x == range_->end_coord.x) {
				at_.x = range_->start_coord.x;
				at_.y++;
			} else {
				at_.x++;
			}
			return *this;
		}
		bool operator==(const CoreIterator &o) const
		{
			return at_ == o.at_;
		}

	private:
		CoreCoord at_;
		const CoreRange *range_;
	};
	CoreIterator begin() const
	{
		return {start_coord, *this};
	}
	CoreIterator end() const
	{
		return {{start_coord.x, end_coord.y + 1}, *this};
	}
};

/* Ranges that do not overlap. */
class CoreRangeSet
{
public:
	CoreRangeSet() = default;
	CoreRangeSet(const CoreRange &range) : ranges_{range}
	{
	}
	CoreRangeSet(const CoreCoord &core) : ranges_{CoreRange(core)}
	{
	}
	CoreRangeSet(std::span<const CoreRange> ranges) : ranges_(ranges.begin(), ranges.end())
	{
		check();
	}
	CoreRangeSet(const std::vector<CoreRange> &ranges) : ranges_(ranges)
	{
		check();
	}
	CoreRangeSet(std::initializer_list<CoreRange> ranges) : ranges_(ranges)
	{
		check();
	}
	CoreRangeSet(const std::set<CoreRange> &ranges) : ranges_(ranges.begin(), ranges.end())
	{
		check();
	}
	explicit CoreRangeSet(std::span<const CoreCoord> cores)
	{
		for (const CoreCoord &c : cores)
			ranges_.emplace_back(c);
		check();
		*this = merge_ranges();
	}

	const std::vector<CoreRange> &ranges() const
	{
		return ranges_;
	}
	size_t size() const
	{
		return ranges_.size();
	}
	bool empty() const
	{
		return ranges_.empty();
	}
	uint32_t num_cores() const
	{
		size_t n = 0;

		for (const CoreRange &r : ranges_)
			n += r.size();
		return static_cast<uint32_t>(n);
	}
	bool contains(const CoreCoord &c) const
	{
		return std::any_of(ranges_.begin(), ranges_.end(),
				   [&](const CoreRange &r) { return r.contains(c); });
	}
	bool contains(const CoreRange &range) const
	{
		return std::all_of(range.begin(), range.end(),
				   [&](const CoreCoord &c) { return contains(c); });
	}
	bool contains(const CoreRangeSet &o) const
	{
		return std::all_of(o.ranges_.begin(), o.ranges_.end(),
				   [&](const CoreRange &r) { return contains(r); });
	}
	bool core_coord_in_core_ranges(const CoreCoord &c) const
	{
		return contains(c);
	}
	bool intersects(const CoreRange &o) const
	{
		return std::any_of(ranges_.begin(), ranges_.end(),
				   [&](const CoreRange &r) { return r.intersects(o); });
	}
	bool intersects(const CoreRangeSet &o) const
	{
		return std::any_of(o.ranges_.begin(), o.ranges_.end(),
				   [&](const CoreRange &r) { return intersects(r); });
	}
	CoreRangeSet intersection(const CoreRangeSet &o) const
	{
		return filtered(*this, [&](const CoreCoord &c) { return o.contains(c); });
	}
	CoreRangeSet subtract(const CoreRangeSet &o) const
	{
		return filtered(*this, [&](const CoreCoord &c) { return !o.contains(c); });
	}
	template <typename T> CoreRangeSet merge(const T &others) const
	{
		std::vector<CoreCoord> cores = all();

		if constexpr (std::is_same_v<T, CoreRangeSet>) {
			for (const CoreCoord &c : others.all())
				if (!contains(c))
					cores.push_back(c);
		} else {
			for (const CoreRange &r : others)
				for (const CoreCoord &c : r)
					if (std::find(cores.begin(), cores.end(), c) == cores.end())
						cores.push_back(c);
		}
		return CoreRangeSet(std::span<const CoreCoord>(cores));
	}
	/* Rows first, then equal rows below each other. */
	CoreRangeSet merge_ranges() const
	{
		std::vector<CoreCoord> cores = all();
		CoreRangeSet out;

		std::sort(cores.begin(), cores.end(), [](const CoreCoord &a, const CoreCoord &b) {
			return std::tie(a.y, a.x) < std::tie(b.y, b.x);
		});
		for (const CoreCoord &c : cores) {
			CoreRange *last = out.ranges_.empty() ? nullptr : &out.ranges_.back();

			if (last && last->end_coord.y == c.y && last->end_coord.x + 1 == c.x)
				last->end_coord.x = c.x;
			else
				out.ranges_.emplace_back(c);
		}
		for (size_t i = 0; i < out.ranges_.size(); i++)
			for (size_t k = i + 1; k < out.ranges_.size();) {
				auto one = out.ranges_[i].merge(out.ranges_[k]);

				if (!one) {
					k++;
					continue;
				}
				out.ranges_[i] = *one;
				out.ranges_.erase(out.ranges_.begin() + static_cast<long>(k));
				k = i + 1;
			}
		return out;
	}
	CoreRange bounding_box() const
	{
		TACHO_METALIUM_REQUIRE(!ranges_.empty(), "a set without cores has no bounding box");
		CoreRange box = ranges_[0];

		for (const CoreRange &r : ranges_)
			box = CoreRange({std::min(box.start_coord.x, r.start_coord.x),
					 std::min(box.start_coord.y, r.start_coord.y)},
					{std::max(box.end_coord.x, r.end_coord.x),
					 std::max(box.end_coord.y, r.end_coord.y)});
		return box;
	}
	std::string str() const
	{
		std::string text = "{";

		for (size_t i = 0; i < ranges_.size(); i++)
			text += (i ? ", " : "") + ranges_[i].str();
		return text + "}";
	}
	bool operator==(const CoreRangeSet &) const = default;

private:
	std::vector<CoreRange> ranges_;

	std::vector<CoreCoord> all() const
	{
		std::vector<CoreCoord> cores;

		for (const CoreRange &r : ranges_)
			for (const CoreCoord &c : r)
				cores.push_back(c);
		return cores;
	}
	template <typename F> static CoreRangeSet filtered(const CoreRangeSet &from, F wanted)
	{
		std::vector<CoreCoord> cores;

		for (const CoreCoord &c : from.all())
			if (wanted(c))
				cores.push_back(c);
		return CoreRangeSet(std::span<const CoreCoord>(cores));
	}
	void check() const
	{
		for (size_t i = 0; i < ranges_.size(); i++)
			for (size_t k = i + 1; k < ranges_.size(); k++)
				TACHO_METALIUM_REQUIRE(!ranges_[i].intersects(ranges_[k]),
						       "core ranges {} and {} overlap",
						       ranges_[i].str(), ranges_[k].str());
	}
};

template <> struct fmt::formatter<CoreRange> : fmt::formatter<std::string_view> {
	template <typename C> auto format(const CoreRange &r, C &context) const
	{
		return fmt::formatter<std::string_view>::format(r.str(), context);
	}
};
template <> struct fmt::formatter<CoreRangeSet> : fmt::formatter<std::string_view> {
	template <typename C> auto format(const CoreRangeSet &r, C &context) const
	{
		return fmt::formatter<std::string_view>::format(r.str(), context);
	}
};

namespace tt
{
using ::CoreCoord;
using ::CoreRange;
using ::CoreRangeSet;
namespace tt_metal
{
using ::CoreCoord;
using ::CoreRange;
using ::CoreRangeSet;

using CoreSpecVariant = std::variant<CoreCoord, CoreRange, CoreRangeSet>;

inline std::vector<CoreCoord> grid_to_cores(uint32_t n, uint32_t columns, uint32_t rows,
					    bool row_wise = false)
{
	std::vector<CoreCoord> cores;

	TT_ASSERT(n <= columns * rows);
	for (uint32_t i = 0; i < n; i++)
		cores.push_back(row_wise ? CoreCoord(i % columns, i / columns)
					 : CoreCoord(i / rows, i % rows));
	return cores;
}
inline std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise = false)
{
	std::vector<CoreCoord> cores;
	const uint32_t columns = static_cast<uint32_t>(end.x - start.x + 1);
	const uint32_t rows = static_cast<uint32_t>(end.y - start.y + 1);

	for (CoreCoord c : grid_to_cores(columns * rows, columns, rows, row_wise))
		cores.emplace_back(start.x + c.x, start.y + c.y);
	return cores;
}

inline std::vector<CoreCoord> corerange_to_cores(const CoreRangeSet &set,
						 std::optional<uint32_t> max = std::nullopt,
						 bool row_wise = false)
{
	std::vector<CoreCoord> cores;

	for (const CoreRange &r : set.ranges())
		for (CoreCoord c : grid_to_cores(r.start_coord, r.end_coord, row_wise))
			if (!max || cores.size() < *max)
				cores.push_back(c);
	return cores;
}

/* The first N cores of a grid from START, line by line. */
inline CoreRangeSet num_cores_to_corerangeset(CoreCoord start, uint32_t n, CoreCoord grid,
					      bool row_wise = false)
{
	std::vector<CoreCoord> cores;
	CoreCoord at = start;

	while (cores.size() < n) {
		TACHO_METALIUM_REQUIRE(at.x < grid.x && at.y < grid.y,
				       "{} cores do not fit into a grid of {} x {}", n, grid.x,
				       grid.y);
		cores.push_back(at);
		if (row_wise) {
			at = at.x + 1 == grid.x ? CoreCoord(0, at.y + 1)
						: CoreCoord(at.x + 1, at.y);
		} else {
			at = at.y + 1 == grid.y ? CoreCoord(at.x + 1, 0)
						: CoreCoord(at.x, at.y + 1);
		}
	}
	return CoreRangeSet(std::span<const CoreCoord>(cores));
}
inline CoreRangeSet num_cores_to_corerangeset(uint32_t n, CoreCoord grid, bool row_wise = false)
{
	return num_cores_to_corerangeset(CoreCoord(0, 0), n, grid, row_wise);
}
inline std::set<CoreRange> num_cores_to_corerange_set(uint32_t n, CoreCoord grid,
						      bool row_wise = false)
{
	const CoreRangeSet set = num_cores_to_corerangeset(n, grid, row_wise);

	return {set.ranges().begin(), set.ranges().end()};
}

using split_work_t =
	std::tuple<uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, uint32_t, uint32_t>;

inline split_work_t split_work_over(const std::vector<CoreCoord> &cores, uint32_t units)
{
	auto part = [&](size_t from, size_t to) {
		return CoreRangeSet(std::span<const CoreCoord>(cores.data() + from, to - from));
	};
	const uint32_t n = std::min<uint32_t>(units, static_cast<uint32_t>(cores.size()));

	if (!n)
		return {0, CoreRangeSet(), CoreRangeSet(), CoreRangeSet(), 0, 0};
	const uint32_t less = units / n, more = units % n;

	if (!more)
		return {n, part(0, n), part(0, n), CoreRangeSet(), less, 0};
	return {n, part(0, n), part(0, more), part(more, n), less + 1, less};
}
/* Cores, all of them, those with one unit more, the others, and the units of each. */
inline split_work_t split_work_to_cores(CoreCoord grid, uint32_t units, bool row_wise = false)
{
	return split_work_over(grid_to_cores(static_cast<uint32_t>(grid.x * grid.y),
					     static_cast<uint32_t>(grid.x),
					     static_cast<uint32_t>(grid.y), row_wise),
			       units);
}
inline split_work_t split_work_to_cores(const CoreRangeSet &grid, uint32_t units,
					bool row_wise = false)
{
	return split_work_over(corerange_to_cores(grid, std::nullopt, row_wise), units);
}

inline int find_max_divisor(uint32_t value, uint32_t from)
{
	for (uint32_t d = from; d > 1; d--)
		if (d != 7 && d != 5 && value % d == 0)
			return static_cast<int>(d);
	return 1;
}
inline int find_max_block_size(uint32_t value, uint32_t most = 8)
{
	for (uint32_t d = most; d > 1; d--)
		if (value % d == 0)
			return static_cast<int>(d);
	return 1;
}
} /* namespace tt_metal */
} /* namespace tt */
