"""Runs the commands of a compilation database with -fsyntax-only.

usage: syntax.py COMPILE_COMMANDS.json [FOLDER...]

Of what is built from these folders, or of all. Prints what the compiler says of each source that it
refuses; the exit code is 1 if there is one, and 2 if nothing is built from the folders."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def syntax_command(command):
    """The command without its output: nothing is written."""
    before, found, after = command.rpartition(" -o ")
    if not found:
        return command + " -fsyntax-only"
    return f"{before} -fsyntax-only {after.split(' ', 1)[1]}"


def is_built_from(entry, folders):
    """Objects, also of batches, lie in the folder of the build that their sources have."""
    output = entry["command"].rpartition(" -o ")[2].split(" ", 1)[0]
    return any(output.startswith(folder.rstrip("/") + "/") for folder in folders)


def refusal(entry):
    run = subprocess.run(syntax_command(entry["command"]), shell=True, cwd=entry["directory"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run.stdout if run.returncode != 0 else None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        entries = json.load(file)
    folders = sys.argv[2:]
    if folders:
        entries = [entry for entry in entries if is_built_from(entry, folders)]
    if not entries:
        print(f"syntax: nothing is built from {', '.join(folders)}", file=sys.stderr)
        return 2
    refused = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(refusal, entries):
            if text is not None:
                refused += 1
                print(text)
    print(f"syntax: {len(entries)} sources and batches, {refused} refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
