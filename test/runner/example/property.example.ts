import fc from "fast-check";
import { describe, expect, test } from "vitest";

describe("sums (of lists)", () => {
  test("it's said that they stay below 1000 [always]", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(500)), (list) => {
        const sum = list.reduce((left, right) => left + right, 0);
        console.log(`tried ${JSON.stringify(list)}`);
        expect(sum).toBeLessThan(1000);
      }),
    );
  });

  test("they stay below 1000 a moment later", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(500)), async (list) => {
        const sum = list.reduce((left, right) => left + right, 0);
        await Promise.resolve();
        expect(sum).toBeLessThan(1000);
      }),
    );
  });
});
