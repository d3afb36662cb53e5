import { describe, expect, test } from "vitest";
import { readTypedKey } from "../../../src/cli/first-start/typed-key.ts";

const environment = { MY_KEY: "sk-of-mine", EMPTY_KEY: " " };

describe("what is typed for a key", () => {
  test.each([
    ["sk-0123456789", "sk-0123456789"],
    ["  sk-0123456789\t", "sk-0123456789"],
    ["'sk-0123456789'", "sk-0123456789"],
    ['export OPENAI_API_KEY="sk-0123456789"', "sk-0123456789"],
    ["Bearer sk-0123456789", "sk-0123456789"],
    ["ABCDEF0123456789", "ABCDEF0123456789"],
  ])("%j is the key %s", (typed, key) => {
    expect(readTypedKey(typed, environment)).toEqual({ key });
  });

  test.each(["MY_KEY", "$MY_KEY", `\${MY_KEY}`])("%s is a variable that holds it", (typed) => {
    expect(readTypedKey(typed, environment)).toEqual({ variable: "MY_KEY" });
  });

  test.each([
    ["", "no key was typed"],
    ["sk-0123 456789", "there is a space in it: paste the key alone"],
    ["sk-0123…789", "it has characters that no key has: paste the key alone"],
    ["https://platform.openai.com/api-keys", "this is an address, not a key"],
    ["OTHER_KEY", "the variable OTHER_KEY is not set: type the key itself, or set it and start again"],
    ["$EMPTY_KEY", "the variable EMPTY_KEY is not set: type the key itself, or set it and start again"],
  ])("%j is refused: %s", (typed, problem) => {
    expect(readTypedKey(typed, environment)).toMatchObject({ problem: { en: problem } });
  });
});
