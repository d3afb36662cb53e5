import { diff } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { matchLines } from "../../../src/kit/text/match-lines.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 14 });

test("both texts can be read from the lines, no other comparison keeps more of them, and what goes stands before what comes", () => {
  fc.assert(
    fc.property(lines, lines, (old, now) => {
      const matched = matchLines(old, now);
      const read = (left: "+" | "-") => matched.filter(({ sign }) => sign !== left).map(({ text }) => text);
      expect([read("+"), read("-")]).toEqual([old, now]);
      // Node's comparison fails where there is nothing to compare.
      const stays = old.length && now.length ? diff(now, old).filter(([operation]) => operation === 0).length : 0;
      expect(matched.filter(({ sign }) => sign === " ")).toHaveLength(stays);
      expect(matched.map(({ sign }) => sign).join("")).not.toContain("+-");
    }),
  );
});
