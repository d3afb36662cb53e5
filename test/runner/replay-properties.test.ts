import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reportProperty, toReplay } from "./replay-properties.ts";
import { runExample } from "./run-example.ts";

const place = { file: "test/a b.test.ts", title: "it's said (twice) > that $1 + [x]" };

describe("a property that fails", () => {
  test("prints the command that replays it, also one that fails a moment later", async () => {
    const first = await runExample("property");
    expect(first.failed).toBe(true);
    const commands = /Counterexample: .*|DUET_SEED=(-?\d+) DUET_PATH=(\S+) npx vitest run (\S+) -t '(.*)'$/gm;
    const printed = [...first.output.matchAll(commands)];
    const replayed: string[] = [];
    for (const [at, [, seed = "", path = "", file, pattern = ""]] of printed.entries()) {
      if (seed === "") continue;
      expect(file).toBe("test/runner/example/property.example.ts");
      const counterexample = printed.slice(0, at).findLast(([, seed]) => seed === undefined)?.[0];
      const title = pattern.replaceAll("'\\''", "'");
      const again = await runExample("property", { DUET_SEED: seed, DUET_PATH: path }, ["-t", title]);
      expect(again.failed).toBe(true);
      expect(again.output).toContain(counterexample);
      expect(again.output).toContain("1 skipped");
      expect(again.output).toContain("Property failed after 1 tests");
      replayed.push(title);
    }
    expect(replayed).toEqual([
      expect.stringContaining("said that they stay below 1000"),
      expect.stringContaining("they stay below 1000 a moment later"),
    ]);
  });

  test("keeps what was thrown as its cause", () => {
    const thrown = new Error("too large");
    const details = fc.check(
      fc.property(fc.nat(), () => {
        throw thrown;
      }),
    );
    expect(() => reportProperty(details, place)).toThrow(expect.objectContaining({ cause: thrown }));
  });

  test("names a file and a title that a shell and a pattern would take for more", () => {
    const details = fc.check(
      fc.property(fc.constant(1), () => false),
      { seed: 7 },
    );
    expect(() => reportProperty(details, place)).toThrow(
      /\nDUET_SEED=7 DUET_PATH=0 npx vitest run 'test\/a b\.test\.ts' -t '\^it'\\''s said \\\(twice\\\) > that \\\$1 \\\+ \\\[x\\\]\$'$/,
    );
  });
});

test("a property that holds says nothing", () => {
  reportProperty(fc.check(fc.property(fc.nat(), (number) => number >= 0)), place);
});

test("a seed that is no whole number is refused by name", () => {
  expect(() => toReplay({ DUET_SEED: "x1" })).toThrow("DUET_SEED: x1 is not a whole number");
  expect(toReplay({ DUET_SEED: "-12", DUET_PATH: "0:1" })).toEqual({ seed: -12, path: "0:1" });
  expect(toReplay({})).toEqual({});
});
