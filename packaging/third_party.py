#!/usr/bin/env python3
"""Lists the crates that are built into the binary, with their licences and the licence texts they carry.

Reads the output of `cargo metadata --format-version 1` on standard input and writes text to standard output:
    cargo metadata --locked --format-version 1 --filter-platform TARGET | python3 packaging/third_party.py osprey
Development dependencies and what only they need are left out. The same input gives the same output.
"""
import json
import pathlib
import re
import sys

LICENCE_FILE = re.compile(r"^(licen[cs]es?|copying|copyright|notice|unlicense)([-_.].*)?$", re.IGNORECASE)
CODE = {".rs", ".toml", ".py", ".json", ".html", ".tmpl"}


def linked(metadata, root):
    """The packages that `root` needs to be built, itself and this workspace's crates left out."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [id for id in metadata["workspace_members"] if packages[id]["name"] == root]
    if not waiting:
        sys.exit(f"third_party.py: no package `{root}` in this workspace")
    seen = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            needed = any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
            if needed and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    found = [packages[id] for id in seen if packages[id]["source"]]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """The texts of the licence files in a package's own folder."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = {file for file in folder.iterdir() if LICENCE_FILE.match(file.name)}
    files |= {inner for file in files if file.is_dir() for inner in file.iterdir()}
    if package["license_file"]:
        files.add(folder / package["license_file"])
    for file in sorted(files):
        if file.is_file() and file.suffix.lower() not in CODE:
            yield file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip("\n")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: cargo metadata --format-version 1 | third_party.py PACKAGE")
    packages = linked(json.load(sys.stdin), sys.argv[1])
    print(f"{sys.argv[1]} contains code of these {len(packages)} packages. Their licence texts follow the list.\n")
    users = {}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        print(f"{name}: {package['license'] or 'see its licence text'}")
        if package["repository"]:
            print(f"    {package['repository']}")
        for text in texts(package):
            # texts that differ in spaces and line breaks only are one
            users.setdefault(" ".join(text.split()), (text, []))[1].append(name)
    for text, names in sorted(users.values(), key=lambda item: item[1]):
        names = sorted(set(names))
        print(f"\n{'=' * 80}\n{', '.join(names)}\n{'=' * 80}\n\n{text}")


if __name__ == "__main__":
    main()
