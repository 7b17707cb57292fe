"""Reads {"numbers": [...]} from standard input and counts them by tenths."""

import json
import sys


def say(**message):
    print(json.dumps(message), flush=True)


def main():
    numbers = json.loads(sys.stdin.readline())["numbers"]
    if not numbers:
        say(error="There are no numbers.")
        return
    counts = [0] * 10
    step = max(1, len(numbers) // 10)
    for done, number in enumerate(numbers, start=1):
        counts[int(number * 10)] += 1
        if done % step == 0:
            say(progress=done, total=len(numbers))
    say(result={"counts": counts, "mean": sum(numbers) / len(numbers)})


main()
