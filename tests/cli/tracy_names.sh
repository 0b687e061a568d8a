# SPDX-License-Identifier: Apache-2.0
# Programs that use any public name of Tracy's headers compile: tests/tracy_names.txt lists the names.
. "$SOURCE/tests/lib.sh"
list=$SOURCE/tests/tracy_names.txt
cxx="c++ -std=c++17 -Wall -Wextra -Werror -I$SOURCE/include/tracy -I$SOURCE/include -fsyntax-only"
cc="cc -std=gnu11 -Wall -Wextra -Werror -I$SOURCE/include/tracy -I$SOURCE/include -fsyntax-only"

# Each macro is there, with Tracy and without. Without it three more are, as upstream has it.
for header in Tracy.hpp TracyC.h; do
	{
		echo "#include <tracy/$header>"
		awk -v h=$header '$1 == "macro" && $2 == h && $3 !~ /^TracyC(Shared)?LockCtx$|Annonce$/ {
			printf "#ifndef %s\n#error %s is missing\n#endif\n", $3, $3 }' "$list"
	} >macros.${header##*.}
done
expect_exit 0 $cxx -x c++ macros.hpp
expect_exit 0 $cxx -x c++ -DTRACY_ENABLE macros.hpp
expect_exit 0 $cc -x c macros.h
expect_exit 0 $cc -x c -DTRACY_ENABLE macros.h

# Each is used in a program that compiles with Tracy and without.
all=$SOURCE/tests/install/tracy_all
while read -r kind header name; do
	[ "$kind" = '#' ] || grep -qw -- "$name" "$all.$([ "$header" = Tracy.hpp ] && echo cpp || echo c)" ||
		fail "$all has no use of $name"
done <"$list"
for enable in -DTRACY_ENABLE -UTRACY_ENABLE; do
	expect_exit 0 $cc $enable "$all.c"
	expect_exit 0 $cxx $enable "$all.cpp"
done

# What newer programs use.
cat >uses.cpp <<-'EOF'
	#include <common/TracyQueue.hpp>
	#include <common/TracyTTDeviceData.hpp>
	#include <tracy/Tracy.hpp>
	int main()
	{
		auto id = TracySectionEnter("level %d", 1);
		auto other = TracySectionEnterCategory(2, "menu");
		TracySectionSetup(2, "%s", "screens");
		TracySectionLeave(id);
		TracySectionLeave(other);
		TracyParameterRegister(nullptr, nullptr);
		TracyParameterSetup(0, "speed", TracyParamTypeTrigger, 1);
		TracyLogString(tracy::MessageSeverity::Info, 0, 0, "text");
		FrameImage(nullptr, 4, 4, 0, false);
		tracy::TTDeviceMarker marker;
		marker.risc = tracy::RiscType::QUASAR_NEO3_TRISC3;
		tracy::TTDeviceMarker copy(1, 2, 3, 0, 1, 1, marker.risc, 7, 100, 5, 6, "op", 10, "k.cpp", "zone",
					   tracy::TTDeviceMarkerType::TS_DATA, marker.marker_name_keyword_flags);
		if (copy.data_high != 6 || copy.to_string().empty())
			return 1;
		return marker.risc > tracy::RiscType::NONE ? 0 : 1;
	}
EOF
expect_exit 0 $cxx -DTRACY_ENABLE uses.cpp
sed -i '/TTDeviceMarker/d;/marker.risc/d;/copy/d;/return 1;/d;/LogString/d;/^#include <common.TracyTT/d;s/^}/return (int)(id + other);}/' uses.cpp
expect_exit 0 $cxx uses.cpp
exit 0
