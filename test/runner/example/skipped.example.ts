import { describe, test } from "vitest";
import { requires } from "../requirements.ts";

const moon = { what: "moon", isMet: false, reason: "there is no moon", remedy: "wait for the night" };
const sun = { what: "sun", isMet: false, reason: "there is no sun", remedy: "wait for the day" };
const earth = { what: "earth", isMet: true, reason: "never", remedy: "none" };

test("runs", requires(earth), () => {});
test("needs the sun", requires(sun), () => {});
describe("a night", requires(moon), () => {
  test("needs the moon", () => {});
  test.each([1, 2])("needs the moon: %i", () => {});
});
