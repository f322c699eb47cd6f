#!/bin/sh
# debian.sh FOLDER SUITE "PACKAGE..." PATH...
#
# Unpacks PATH... of packages of the Debian suite into FOLDER, with the libraries that the programs among them load.
# A PATH is relative to / and may be a directory or a pattern. PATH:TARGET keeps PATH under another name. Nothing is installed and root is not needed: apt works on
# lists and an (empty) package database of its own. Each program is replaced by a script that runs it through
# FOLDER/lib/ld.so with FOLDER/lib as library path, because the suite's C library may be newer than the machine's. FOLDER
# can be moved.
set -eu
folder=$1
suite=$2
packages=$3
shift 3

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || { echo "There is no $keyring; this needs the package debian-archive-keyring."; exit 1; }
archive=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    grep -v '^ *#' | grep -Eo '[a-z]+://[^ ]*/debian/?( |$)' | head -n 1)
[ -n "$archive" ] || { echo "apt has no Debian archive among its sources. Add one to /etc/apt/sources.list."; exit 1; }

work=$folder/work
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/root/usr/lib" "$folder/lib"
: > "$work/status"
echo "deb [signed-by=$keyring] $archive $suite main" > "$work/sources.list"
apt() {
    apt-get -qq \
        -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" \
        -o Dir::Cache::archives="$work/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o Debug::NoLocking=1 -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}
apt update
apt install -y --no-install-recommends --download-only $packages

# Older suites have packages with files in /lib, which is a link to /usr/lib on every machine.
ln -s usr/lib "$work/root/lib"
for deb in "$work"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$work/root" --keep-directory-symlink --exclude='./usr/share/doc'
done
(cd "$work/archives" && sha256sum ./*.deb) > "$folder/packages.sha256"

# Of several hundred megabytes, keep the wanted paths and the libraries that their programs and modules load.
for path in "$@"; do
    for found in "$work/root"/${path%%:*}; do
        case $path in
        *:*) kept=$folder/${path#*:} ;;
        *) kept=$folder/${found#"$work/root/"} ;;
        esac
        mkdir -p "$(dirname "$kept")"
        cp -a "$found" "$kept"
    done
done
libraries=$(dirname "$(find "$work/root/usr/lib/" -name 'ld-linux*.so.*' | head -n 1)")
loader=$(ls "$libraries"/ld-linux*.so.*)
cat > "$work/wrapper" <<'WRAPPER'
#!/bin/sh
root=${0%/usr/*}
exec "$root/lib/ld.so" --argv0 "$0" --library-path "$root/lib" "$0.bin" "$@"
WRAPPER
# Modules may need each other.
modules=$(find "$folder/usr" -name '*.so' -exec dirname {} \; | sort -u | paste -s -d :)
find "$folder/usr" -type f \( -perm -100 -o -name '*.so' -o -name '*.so.*' \) > "$work/files"
while read -r file; do
    # The list is empty for scripts and static programs.
    "$loader" --library-path "$libraries:$modules" --list "$file" > "$work/loaded" 2>/dev/null || continue
    cat "$work/loaded" >> "$work/libraries"
    case $file in
    *.so | *.so.*) ;;
    *) mv "$file" "$file.bin" && cp "$work/wrapper" "$file" && chmod 755 "$file" ;;
    esac
done < "$work/files"
awk '$2 == "=>" && $3 ~ /^\// {print $3}' "$work/libraries" | sort -u > "$work/needed"
while read -r library; do
    case $library in
    "$folder"/usr/*) ln -s "../${library#"$folder/"}" "$folder/lib/" ;; # the same file, or it would be loaded twice
    *) cp -L "$library" "$folder/lib/" ;;
    esac
done < "$work/needed"
cp -L "$loader" "$folder/lib/ld.so"
rm -rf "$work"
