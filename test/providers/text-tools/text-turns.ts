import { readFileSync } from "node:fs";
import * as z from "zod";

const shape = z.strictObject({
  name: z.string(),
  lines: z.array(z.string()),
  expect: z.strictObject({
    reasoning: z.string().default(""),
    thought: z.string().default(""),
    text: z.string().default(""),
    calls: z.array(z.tuple([z.string(), z.string().nullable()])).default([]),
    isCut: z.boolean().default(false),
    /** What the model reads of a call that could not be made. */
    observation: z.string().optional(),
  }),
});

/** Texts as models write them that know the textual protocol from its description, and how each is to be read. */
export const textTurns = z
  .array(shape)
  .parse(JSON.parse(readFileSync(new URL("../../fixtures/text-turns.json", import.meta.url), "utf8")))
  .map(({ lines, ...turn }) => ({ ...turn, text: lines.join("\n") }));
