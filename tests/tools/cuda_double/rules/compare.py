"""Lays the answers of two drivers side by side: compare.py FIRST SECOND, two outputs of cuda_rules_test.

Prints each rule whose answers differ, and how many both have. Texts, which every driver words in its own
way, and what a device says of itself are left out.
"""

import re
import sys

LINE = re.compile(r"\[rule\] (\S+?/.*?): (.*)$")
OWN_WORDS = re.compile(r"^Error\.|[ /]log\b|/info$|text$|size of the info|/name$|/values$|^Device\..*/linking")


def read_answers(path):
    """Rule -> answer. A rule that is asked again in the same test has #2 and so on behind its name."""
    answers = {}
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            match = LINE.match(line.rstrip("\n"))
            if not match or OWN_WORDS.search(match[1]):
                continue
            name, again = match[1], 1
            while name in answers:
                again += 1
                name = f"{match[1]} #{again}"
            answers[name] = match[2]
    return answers


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: compare.py FIRST SECOND")
    first, second = read_answers(sys.argv[1]), read_answers(sys.argv[2])
    common = [rule for rule in first if rule in second]
    differing = [rule for rule in common if first[rule] != second[rule]]
    for rule in differing:
        print(f"{rule}: {first[rule]} | {second[rule]}")
    for path, own in ((sys.argv[1], set(first) - set(second)), (sys.argv[2], set(second) - set(first))):
        for rule in sorted(own):
            print(f"only in {path}: {rule}")
    print(f"{len(common)} answers in both, {len(differing)} differ")


if __name__ == "__main__":
    main()
