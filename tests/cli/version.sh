# SPDX-License-Identifier: Apache-2.0
# The commit in "tacho version": from git, from an archive of git's, from neither; and one version for everything.
. "$SOURCE/tests/lib.sh"

version=$(sed -n 's/^project(tacho VERSION \([0-9.]*\).*/\1/p' "$SOURCE/CMakeLists.txt")
[ -n "$version" ] || fail "no version in CMakeLists.txt"
expect_exit 0 "$TACHO" version
expect_line out "^tacho $version( |\$)"
expect_exit 0 "$TACHO" --version
expect_line out "^tacho $version( |\$)"
expect_line "$BUILD/man/tacho.1" "tacho $version"
# Nothing else may state it: release notes and lock files of others apart.
(cd "$SOURCE" && grep -rnIF "$version" --include='*.json' --include='*.py' --include='*.toml' --include='*.cmake' \
	--include='*.in' web/package.json python cmake packaging pyproject.toml) >out
expect_count 0 out

command -v git >/dev/null || skip "no git"
# write_commit FOLDER: the commit that a build in FOLDER would print, in "out".
write_commit() {
	cmake -DSOURCE="$here/$1" -DOUTPUT="$here/commit.h" -DCOMMIT="${2-}" -P "$SOURCE/cmake/write_commit.cmake" ||
		fail "write_commit.cmake"
	sed 's/#define TACHO_COMMIT "\(.*\)"/\1/' commit.h >out
}
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES=$here
git init -q tree
mkdir tree/cmake
cp "$SOURCE/cmake/commit.txt" tree/cmake
cp "$SOURCE/.gitattributes" tree
git -C tree add .
git -C tree -c user.name=a -c user.email=a@b commit -qm first
commit=$(git -C tree rev-parse HEAD)

write_commit tree
expect_line out "^${commit:0:10}\$"
touch -d '2020-01-01' commit.h
write_commit tree
[ "$(date -r commit.h +%Y)" = 2020 ] || fail "the file was written though nothing changed"
write_commit tree 1234abc
expect_line out '^1234abc$'
echo >>tree/.gitattributes
write_commit tree
expect_line out "^${commit:0:10}-dirty\$"

mkdir archive
git -C tree archive HEAD | tar -xC archive
write_commit archive
expect_line out "^${commit:0:10}\$"

# Sources without history, also when they lie in a repository of somebody else.
mkdir -p tree/ours/cmake
cp "$SOURCE/cmake/commit.txt" tree/ours/cmake
write_commit tree/ours
expect_line out '^$'
