# SPDX-License-Identifier: Apache-2.0
# Files made from the option tables: man pages that groff accepts, completions that work.
# labels: plain
. "$SOURCE/tests/lib.sh"

for verb in stats zones export check; do
	[ -s "$BUILD/man/tacho-$verb.1" ] || fail "no page for $verb"
done
if command -v groff >/dev/null; then
	for page in "$BUILD"/man/*.1; do
		if read -r so target <"$page" && [ "$so" = .so ]; then # the page of an installed link
			[ -s "$BUILD/man/${target#man1/}" ] || fail "$page points to nothing"
			continue
		fi
		(cd "$BUILD" && groff -man -Tutf8 -ww -z "$page") >lint 2>&1
		[ -s lint ] && { cat lint >&2; fail "groff warns about $page"; }
	done
	groff -man -Tascii "$BUILD/man/tacho.1" -P-c | sed 's/.\x08//g' >page
	expect_line page 'EXIT STATUS' 'TACHO_LIMIT_MB' 'tacho-stats\(1\)' '^ +4 +the input is damaged'
	groff -man -Tascii "$BUILD/man/tacho-stats.1" -P-c | sed 's/.\x08//g' >page
	expect_line page '--range=T0..T1' "tacho stats -n 'conv\*'"
fi

# complete WORD...: what bash suggests for the last word
complete_words() {
	bash -c '
		. "$1/completions/bash/tacho"
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		compopt() { :; }
		_tacho
		printf "%s\n" "${COMPREPLY[@]}"' bash "$BUILD" "$@" >out
}
complete_words tacho st
expect_line out '^stats$'
complete_words tacho stats --so
expect_line out '^--sort=$'
expect_count 1 out
complete_words tacho stats --sort = p
expect_line out '^p99$'
complete_words tacho export --to = ''
expect_line out '^chrome$' '^csv$' '^json$'
complete_words tacho help fr
expect_line out '^frames$'
complete_words tacho zones --n
expect_line out '^--name=$'
for shell in zsh fish; do
	command -v $shell >/dev/null || continue
	$shell -n "$BUILD"/completions/$shell/* || fail "$shell does not read its completion"
done

# They are installed where shells and man search.
expect_exit 0 env DESTDIR="$PWD/root" cmake --install "$BUILD" --prefix /usr
for file in share/man/man1/tacho.1 share/bash-completion/completions/tacho share/zsh/site-functions/_tacho \
	share/fish/vendor_completions.d/tacho.fish bin/tacho; do
	[ -f "root/usr/$file" ] || fail "$file is not installed"
done
